"""
Heat in a plate
===============

A copper plate of 10 cm is held at 0 °C along its edges and begins with a hot disc and a warm bar.
Its temperature *u* follows the heat equation ∂u/∂t = a ∇²u, which each step replaces by differences
of neighbours: slices of one array, as with NumPy.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size = 1024 if cp.cuda.is_available() else 96  # the emulated device is slow
parser = argparse.ArgumentParser(description="Heat in a plate, by finite differences.")
parser.add_argument("--size", type=int, default=size, help="points on a side (%(default)s)")
parser.add_argument("--seconds", type=float, default=0.4, help="the time to simulate (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# The plate at the beginning, in °C.

side = 10.0  # cm
x = cp.linspace(0, side, args.size, dtype=cp.float32)
y = x[:, None]
plate = cp.zeros((args.size, args.size), dtype=cp.float32)
plate[(x - 3.5) ** 2 + (y - 6) ** 2 < 2**2] = 100
plate[(abs(x - 7) < 0.7) & (abs(y - 5) < 4)] = 60

# %%
# A step adds to each point what flows in from its four neighbours. The longest step in time that
# stays stable is h² / 4a; ours is a little shorter. :func:`~gpuarray.fuse` makes one
# kernel of it.

diffusivity = 1.11  # cm²/s, of copper
h = side / (args.size - 1)
dt = 0.2 * h**2 / diffusivity
steps = max(4, round(args.seconds / dt))


@cp.fuse
def step(u):
    inner = u[1:-1, 1:-1]
    return inner + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner)


# %%
# Nothing waits for the device in the loop but the four lines of progress.

snapshots = [(0.0, plate.get())]
for i in range(1, steps + 1):
    plate[1:-1, 1:-1] = step(plate)
    if i % (steps // 4) == 0:
        print(f"step {i} of {steps}: hottest point {float(plate.max()):.1f} °C")
    if i in (steps // 8, steps):
        snapshots.append((i * dt, plate.get()))

# %%
# Edges of the disc and the bar blur first; then both cool through the edges of the plate.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", sharey=True)
for ax, (time, values) in zip(axes, snapshots, strict=True):
    picture = ax.imshow(
        values, extent=(0, side, 0, side), origin="lower", cmap="inferno", vmin=0, vmax=100
    )
    ax.set(title=f"{time:.2f} s", xlabel="x (cm)")
axes[0].set_ylabel("y (cm)")
figure.colorbar(picture, ax=axes, label="temperature (°C)", shrink=0.8)
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
