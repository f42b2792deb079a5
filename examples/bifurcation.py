"""
Order and chaos: a kernel in Python
===================================

The logistic map x → r x (1 - x) goes to a point, swings between a few or wanders for ever: that
depends on *r*. The kernel that follows it is Python, and :obj:`~gpuarray.jit.rawkernel` makes CUDA
C++ of it: a thread for each *r*.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp
from gpuarray import jit

width, steps = (4000, 20_000) if cp.cuda.is_available() else (600, 500)  # the emulator is slow
parser = argparse.ArgumentParser(description="The bifurcation diagram of the logistic map.")
parser.add_argument("--width", type=int, default=width, help="values of r (%(default)s)")
parser.add_argument("--height", type=int, default=400, help="bins for x (%(default)s)")
parser.add_argument("--steps", type=int, default=steps, help="of each orbit (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Each thread counts where its orbit has been, in a column of its own, after some steps to settle.
# It adds up how fast neighbours part, too: Lyapunov's exponent, above zero where there is chaos.


@jit.rawkernel
def follow(r, visits, exponent, steps):
    column = jit.grid(1)
    if column < r.size:
        x = 0.5
        growth = 0.0
        for i in range(2 * steps):
            x = r[column] * x * (1 - x)
            if i >= steps:
                visits[int(x * visits.shape[0]), column] += 1
                growth += cp.log(abs(r[column] * (1 - 2 * x)) + 1e-12)
        exponent[column] = growth / steps


# %%
# The launch has a grid and a block, as in CUDA C++.

r = cp.linspace(2.8, 3.999, args.width)
visits = cp.zeros((args.height, args.width), dtype=cp.int32)
exponent = cp.empty(args.width)
block = 128
follow[-(-args.width // block), block](r, visits, exponent, args.steps)
print(f"{args.width} orbits of {args.steps} steps; {float((exponent > 0).mean()):.0%} are chaotic")

# %%
# Period two begins at r = 3, period four at 3.449, chaos at 3.570.

figure, (diagram, below) = plt.subplots(
    2, 1, figsize=(9, 6), layout="constrained", sharex=True, height_ratios=(3, 1)
)
density = (visits / visits.max(axis=0)).get() ** 0.3  # rare places stay visible
extent = (2.8, 3.999, 0, 1)
diagram.imshow(density, extent=extent, origin="lower", aspect="auto", cmap="Greys")
diagram.set(title="where the orbits go", ylabel="x")
below.plot(r.get(), exponent.get(), color="#0072b2", linewidth=0.7)
below.axhline(0, color="#d55e00", linewidth=0.8)
below.set(xlabel="r", ylabel="Lyapunov's exponent", ylim=(-2, 1))
for at in (3, 3.449, 3.570):
    diagram.axvline(at, color="#d55e00", linewidth=0.6)
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
