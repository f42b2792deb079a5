"""A launch that failed runs once more on the emulator."""

import os
import subprocess
import sys
import textwrap

import pytest

from tests.faults.programs import run
from tests.limits import HANG_SECONDS

DEBUG = {"GPUARRAY_DEBUG": "1"}


def replayed(body, **environment):
    body = textwrap.dedent(body) + "\ncp.debug.replay()"
    return run(body, **{**DEBUG, **environment})


def test_it_names_thread_and_source_line():
    text = replayed(
        """
        import io
        error_of(launch, cp.zeros(16, "i4"), 0)
        out = io.StringIO()
        cp.debug.replay(out)
        assert "thread (0,0,0)" in out.getvalue()
        """
    )
    assert text.count("thread (0,0,0)") == 1  # the other one went where it was told
    assert "replay of fail on the emulator" in text
    assert "0: int32 (16,) at 0x" in text
    assert "CUDA_ERROR_ILLEGAL_ADDRESS (700)" in text
    assert "block (0,0,0), thread (0,0,0)" in text
    assert "a[threadIdx.x + (1ll << 40)] = 1;  // nobody's memory" in text
    assert "> 4 |" in text
    assert "in launch" in text


@pytest.mark.slow
@pytest.mark.parametrize("how, status", [(1, 716), (3, 710)])
def test_other_faults(how, status):
    text = replayed(f"error_of(launch, cp.zeros(16, 'i4'), {how})")
    assert f"({status}): launching fail" in text
    assert "thread (" in text


@pytest.mark.slow
def test_the_memory_is_rebuilt():
    """The fault depends on numbers in memory, through views of one allocation."""
    text = replayed(
        """
        follow = cp.RawKernel(r'''
        extern "C" __global__ void follow(const long long *at, float *out, const float *factor) {
            out[at[threadIdx.x]] = factor[0] + factor[1];
        }''', "follow")
        both = cp.arange(64, dtype="f4")
        at = cp.asarray([0, 1, 1 << 40, 3])
        follow((1,), (2,), (at, both[8:], both))
        error_of(follow, (1,), (4,), (at, both[8:], both))
        """
    )
    assert "block (0,0,0), thread (2,0,0)" in text
    assert "out[at[threadIdx.x]]" in text


@pytest.mark.slow
def test_kernels_of_the_package_and_templates():
    text = replayed(
        """
        error_of(cp.ElementwiseKernel("raw T x", "T y", "y = x[i + (1ll << 40)]", "stray"),
                 cp.arange(3), cp.empty(3, int))
        """
    )
    assert "replay of gpuarray_stray" in text
    assert "x[i + (1ll << 40)]" in text
    text = replayed(
        """
        kernel = cp.RawKernel(
            "template <class T> __global__ void store(T *out, T value) {"
            "\\n out[1ll << 40] = value; }", "store<float>")
        error_of(kernel, (1,), (1,), (cp.zeros(1, "f4"), np.float32(2)))
        """
    )
    assert "out[1ll << 40] = value" in text


@pytest.mark.slow
def test_ptx_files_are_replayed_and_shared_memory_is_kept(tmp_path):
    text = replayed(
        f"""
        source = r'''extern "C" __global__ void f(int *a) {{
            extern __shared__ int s[];
            s[16000] = 1;
            a[(long long)s[16000] << 40] = 1; }}'''
        from gpuarray.kernels.compiler import compilation as compiler
        ptx = compiler.compile(source, name="f", architecture="sm_80", kind="ptx").data
        path = {str(tmp_path / "f.ptx")!r}
        open(path, "wb").write(ptx)
        kernel = cp.RawModule(path=path).get_function("f")
        error_of(lambda: (kernel((1,), (1,), (cp.zeros(4, "i4"),), shared_mem=64004),
                          cp.cuda.runtime.deviceSynchronize()))
        """
    )
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
    assert "PTX line" in text


@pytest.mark.slow
def test_a_launch_that_only_fails_elsewhere():
    """A pointer in memory leads to memory that the copy does not have; no fault is a result too."""
    text = replayed(
        """
        from gpuarray._runtime import debugging
        error_of(launch, cp.zeros(16, "i4"), 0)
        fault = debugging.last_fault
        words = bytearray(fault.parameters)
        words[8:12] = (4).to_bytes(4, "little")  # the way that does no harm
        debugging.last_fault = fault._replace(parameters=bytes(words))
        """
    )
    assert "ran without a fault on the emulator" in text
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text


@pytest.mark.slow
def test_what_cannot_be_replayed_says_why():
    text = run(
        """
        print(error_of(cp.debug.replay))
        error_of(launch, cp.zeros(16, "i4"), 0)
        print(error_of(cp.debug.replay))
        """
    )
    assert text.count("set GPUARRAY_DEBUG=1, run the program again") == 2
    text = run(
        """
        print(error_of(cp.debug.replay))
        error_of(launch, cp.zeros(1 << 20, "i4"), 0)
        assert cp.debug.last_fault().missing == 1 << 22
        print(error_of(cp.debug.replay))
        """,
        GPUARRAY_DEBUG="1",
        GPUARRAY_DEBUG_BYTES="1M",
    )
    assert "no launch failed in this process" in text
    assert "4194304 bytes of what fail was given were not kept" in text
    assert "GPUARRAY_DEBUG_BYTES is 1048576: set it to 4194304 or more" in text


def test_saved_launches_are_replayed_by_the_command(tmp_path):
    folder = tmp_path / "fäult"
    run(
        f"""
        error_of(launch, cp.zeros(16, "i4"), 0)
        cp.debug.save({str(folder)!r})
        """,
        **DEBUG,
    )

    def command(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "gpuarray", "replay", *arguments],
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=HANG_SECONDS,
        )

    done = command(str(folder), GPUARRAY_BACKEND="emulator")
    assert done.returncode == 1, done.stderr
    assert "> 4 |         a[threadIdx.x + (1ll << 40)] = 1;" in done.stdout
    assert "thread (0,0,0)" in done.stdout
    done = command(str(folder), GPUARRAY_BACKEND="cuda")
    assert done.returncode == 2
    assert "set GPUARRAY_BACKEND=emulator" in done.stderr
    done = command(str(tmp_path / "nothing"), GPUARRAY_BACKEND="emulator")
    assert done.returncode == 2
    assert "launch.json" in done.stderr


@pytest.mark.slow
def test_textures_are_not_kept():
    text = replayed(
        """
        from gpuarray.cuda import texture
        floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
        array = texture.CUDAarray(floats, 4)
        resource = texture.ResourceDescriptor(0, array)
        tex = texture.TextureObject(resource, texture.TextureDescriptor())
        look = cp.RawKernel(r'''
        extern "C" __global__ void look(cudaTextureObject_t t, float* out, long long shift) {
            out[shift] = tex1D<float>(t, 0.5f);
        }''', "look")
        error_of(look, (1,), (1,), (tex, cp.zeros(4, "f"), 1 << 40))
        """
    )
    assert "reads a texture or surface, which is not kept" in text
    assert "kernel look" in text.partition("The error was:\n")[2]
