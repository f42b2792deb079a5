"""
Copies while the device computes
================================

A device has engines for copies in both directions beside its multiprocessors. Work in *one* stream
takes them in turn; in several streams, with page-locked host memory, they work at the same time.
On an H200:

.. image:: /pictures/overlap-h200.png
   :alt: Copies and kernels of six pieces of data: one after the other in one stream, side by side
         in three streams.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size, rounds = (1 << 24, 400) if cp.cuda.is_available() else (1 << 16, 2)  # the emulator is slow
parser = argparse.ArgumentParser(description="Copies and kernels of several streams, overlapped.")
parser.add_argument("--size", type=int, default=size, help="elements of a piece (%(default)s)")
parser.add_argument("--pieces", type=int, default=6, help="of the data (%(default)s)")
parser.add_argument("--rounds", type=int, default=rounds, help="of the kernel's loop (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Data that does not fit the device at once, in page-locked memory, and a kernel that takes about
# as long as a copy.

source = cp.empty_pinned((args.pieces, args.size), "f4")
result = cp.empty_pinned((args.pieces, args.size), "f4")
source[...] = 0.5
iterate = cp.ElementwiseKernel(
    "float32 x, int32 rounds",
    "float32 y",
    "y = x; for (int k = 0; k < rounds; ++k) y = 3.7f * y * (1 - y);",
    "iterate",
)


def process(streams):
    """Copy each piece there, compute, copy it back; when each began and ended, in ms."""
    start, marks = cp.cuda.Event(), []
    start.record()
    for i in range(args.pieces):
        stream = streams[i % len(streams)]
        stream.wait_event(start)
        with stream:
            events = [stream.record()]
            x = cp.asarray(source[i])
            events.append(stream.record())
            y = iterate(x, args.rounds)
            events.append(stream.record())
            y.get(out=result[i], blocking=False)
            events.append(stream.record())
        marks.append(events)
    cp.cuda.Device().synchronize()
    return [[cp.cuda.get_elapsed_time(start, event) for event in events] for events in marks]


# %%
# The first run compiles the kernel and takes memory for the pool; then one stream, and three.

streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
process(streams)
spans = {f"{n} stream{'s' * (n > 1)}": process(streams[:n]) for n in (1, 3)}
for name, times in spans.items():
    print(f"{name}: {times[-1][-1]:.1f} ms")

# %%
# Each row is a piece. On the emulated device all takes turns whatever the streams: its times say
# nothing about a GPU.

figure, axes = plt.subplots(2, 1, figsize=(9, 4.6), layout="constrained", sharex=True)
colours = {"to the device": "#0072b2", "kernel": "#e69f00", "to the host": "#009e73"}
for ax, (name, times) in zip(axes, spans.items(), strict=True):
    for row, events in enumerate(times):
        for k, (what, colour) in enumerate(colours.items()):
            label = what if row == 0 else None
            ax.barh(row, events[k + 1] - events[k], left=events[k], color=colour, label=label)
    ax.set(title=name, ylabel="piece")
    ax.invert_yaxis()
axes[0].legend()
axes[1].set_xlabel("time (ms)")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
