"""
Two galaxies that meet
======================

Every star attracts every other one: n² forces a step. Written with broadcasting, the distances
would fill three arrays of n² numbers; :func:`~gpuarray.fuse` makes one kernel of the differences,
the forces and their sums, and no such array ever exists.
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np

import gpuarray as cp

stars, steps = (20_000, 1000) if cp.cuda.is_available() else (150, 120)
parser = argparse.ArgumentParser(
    description="Two colliding galaxies, by the forces between all pairs of stars."
)
parser.add_argument("--stars", type=int, default=stars, help="in each galaxy (%(default)s)")
parser.add_argument("--steps", type=int, default=steps, help="%(default)s")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Each galaxy is a heavy centre of mass 1 with light stars around it, in units in which G = 1. The
# centres begin on a parabola, the path of a single meeting.

rng = np.random.default_rng(3)


def galaxy(x, y, vx):
    radius = np.append(0, np.sqrt(rng.uniform(0.1, 1, args.stars)))
    angle = rng.uniform(0, 2 * np.pi, args.stars + 1)
    speed = np.append(0, radius[1:] ** -0.5)
    position = [x + radius * np.cos(angle), y + radius * np.sin(angle)]
    return np.array([*position, vx - speed * np.sin(angle), speed * np.cos(angle)], dtype="f")


x, y, vx, vy = map(cp.asarray, np.hstack([galaxy(-1.5, -1, 0.53), galaxy(1.5, 1, -0.53)]))
mass = cp.full(x.size, 1e-3 / args.stars, dtype="f")
mass[:: args.stars + 1] = 1  # the centres

# %%
# The force is softened, so that close meetings stay finite.


@cp.fuse
def acceleration(x, y, mass):
    dx, dy = x - x[:, None], y - y[:, None]
    distance2 = dx * dx + dy * dy + 0.01
    pull = mass / (distance2 * cp.sqrt(distance2))
    return (pull * dx).sum(axis=1), (pull * dy).sum(axis=1)


# %%
# The leapfrog: velocities are half a step ahead of positions.

dt = 5.5 / args.steps
ax, ay = acceleration(x, y, mass)
vx, vy = vx + dt / 2 * ax, vy + dt / 2 * ay
pictures = [(0.0, x.get(), y.get())]
for i in range(1, args.steps + 1):
    x, y = x + dt * vx, y + dt * vy
    ax, ay = acceleration(x, y, mass)
    vx, vy = vx + dt * ax, vy + dt * ay
    if i % max(1, args.steps // 6) == 0:
        gap = float(cp.hypot(x[0] - x[args.stars + 1], y[0] - y[args.stars + 1]))
        print(f"step {i} of {args.steps}: the centres are {gap:.2f} apart")
    if i in (args.steps // 2, args.steps):
        pictures.append((i * dt, x.get(), y.get()))

# %%
# The tides of the meeting pull a tail and a bridge of stars out of each galaxy.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), layout="constrained", sharey=True)
for ax, (time, px, py) in zip(axes, pictures, strict=True):
    for first, colour in ((0, "#0072b2"), (args.stars + 1, "#d55e00")):
        own = slice(first, first + args.stars + 1)
        ax.plot(px[own], py[own], ".", color=colour, ms=3 if args.stars < 1000 else 0.4)
    ax.set(title=f"t = {time:.1f}", xlabel="x", xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
axes[0].set_ylabel("y")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
