"""The command line: ``python -m gpuarray demo|info|doctor|cache|check|replay``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gpuarray",
        description="NumPy-compatible arrays on NVIDIA GPUs, or on an emulated one.",
        epilog="Environment: GPUARRAY_BACKEND=auto|cuda|emulator, GPUARRAY_EMULATED_DEVICES=N, "
        "GPUARRAY_STICKY_FAULTS=1, "
        "GPUARRAY_CUDA_MAJOR=12|13, GPUARRAY_CACHE_DIR=PATH, GPUARRAY_CACHE_DIRS=PATH:..., "
        "GPUARRAY_RECORD=FILE, GPUARRAY_DUMP_SOURCE=PATH, GPUARRAY_DEBUG=1, GPUARRAY_PROGRESS=0, "
        "GPUARRAY_FUSION=off|on|immediate, "
        "GPUARRAY_ADDRESS_RANGES=0, "
        "GPUARRAY_CHECK=races,uninit,bounds,barriers,host,leaks.",
    )
    from gpuarray._version import __version__

    parser.add_argument("--version", action="version", version=f"gpuarray {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="run, check and time examples beside NumPy")
    demo.add_argument(
        "--largest",
        type=float,
        metavar="SIZE",
        help="the largest array (default: 1e8 elements on a GPU, 1e6 on the emulator)",
    )

    info = commands.add_parser(
        "info", help="show the version, the devices, the libraries, the cache"
    )
    info.add_argument("--json", action="store_true", help="for programs")
    commands.add_parser("doctor", help="check what can be wrong, with a remedy for each fault")

    cache = commands.add_parser("cache", help="look after the compiled kernels")
    actions = cache.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("info", help="where they are, how many, how large")
    listing = actions.add_parser("list", help="one line for each kernel, last used first")
    clear = actions.add_parser("clear", help="remove every kernel, or those long unused")
    clear.add_argument(
        "--older", metavar="AGE", help="only kernels that were not used for so long: 30d, 12h, 90m"
    )
    export = actions.add_parser("export", help="write kernels to one file")
    export.add_argument("file", help="the archive to write")
    for command in (listing, export):
        command.add_argument(
            "patterns",
            nargs="*",
            metavar="KERNEL",
            help="a name with * and ? as in a shell, or the start of a key (default: all)",
        )
    imported = actions.add_parser(
        "import", help="add the kernels of such a file, which has to come from people you trust"
    )
    imported.add_argument("file", help="the archive to read")
    warmup = actions.add_parser(
        "warmup", help="compile the kernels that a run with GPUARRAY_RECORD=FILE used"
    )
    warmup.add_argument("file", help="the recording")
    warmup.add_argument(
        "--architecture", metavar="SM", help="compile for this one, such as sm_90; needs no GPU"
    )
    warmup.add_argument("--threads", type=int, metavar="N", help="kernels compiled at once")

    check = commands.add_parser(
        "check",
        help="run a script on the emulator and report races and other faults of kernels",
        epilog="The exit status is 66 if something was found, else the script's own.",
    )
    check.add_argument(
        "--checks",
        default="all",
        metavar="LIST",
        help="of races (or races=lane), uninit, bounds, barriers, host, leaks (default: all)",
    )
    replay = commands.add_parser(
        "replay", help="run on the emulator a launch that gpuarray.debug.save() wrote down"
    )
    replay.add_argument("folder", help="where it was written")

    check.add_argument("script", help="the script to run")
    check.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    from gpuarray._config import problems

    for problem in problems:
        print(f"{problem}.", file=sys.stderr)
    options = _parser().parse_args(arguments)
    try:
        status = _run(options)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Who read the output has enough of it; what is left goes nowhere at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(options: argparse.Namespace) -> int:
    from gpuarray._config import problems

    # Only the command that runs is imported: `doctor` must work where the others cannot.
    if options.command == "doctor":
        from gpuarray._commands import doctor

        return doctor.run()
    if problems:
        print("`python -m gpuarray doctor` checks the installation.", file=sys.stderr)
        return 2
    try:
        if options.command == "demo":
            from gpuarray._commands import demo

            return demo.run(largest=options.largest)
        if options.command == "check":
            from gpuarray._commands import check

            return check.run(options.script, options.arguments, options.checks)
        if options.command == "replay":
            from gpuarray._commands import replay

            return replay.run(options.folder)
        if options.command == "info":
            from gpuarray._commands import info

            return info.run(as_json=options.json)
        from gpuarray._commands import cache

        return cache.run(options)
    except (RuntimeError, MemoryError, ImportError) as error:
        # The errors of the CUDA libraries and their absence (see gpuarray.errors): the text says
        # what to do, and a traceback through the package would not add to it.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        print("`python -m gpuarray doctor` checks the installation.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
