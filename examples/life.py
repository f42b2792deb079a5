"""
The game of life
================

A cell lives on if two or three of its eight neighbours live, and is born if exactly three do. The
world is a torus: :func:`~gpuarray.roll` gives every cell its neighbour, also across the edges.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size, generations = (4096, 1000) if cp.cuda.is_available() else (128, 150)
parser = argparse.ArgumentParser(description="Conway's game of life on a torus.")
parser.add_argument("--size", type=int, default=size, help="cells on a side (%(default)s)")
parser.add_argument("--generations", type=int, default=generations, help="%(default)s")
parser.add_argument("--seed", type=int, default=1, help="of the first generation (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Three numbers of rows added, then three of columns: four rolls instead of eight. The rule itself
# is one kernel: :func:`~gpuarray.fuse` makes it of the function.


@cp.fuse
def rule(alive, block, age):
    neighbours = block - alive  # the block of nine has the cell itself
    lives = (neighbours == 3) | ((neighbours == 2) & (alive == 1))
    return lives.astype("uint8"), cp.where(lives, age + 1, 0).astype("uint16")


def generation(alive, age):
    rows = cp.roll(alive, 1, axis=0) + alive + cp.roll(alive, -1, axis=0)
    block = cp.roll(rows, 1, axis=1) + rows + cp.roll(rows, -1, axis=1)
    return rule(alive, block, age)


# %%
# The population of each generation stays on the device until it is drawn.

rng = cp.random.default_rng(args.seed)
alive = (rng.random((args.size, args.size), dtype=cp.float32) < 0.25).astype("uint8")
age = cp.zeros((args.size, args.size), dtype="uint16")
population = cp.empty(args.generations + 1)
population[0] = alive.mean()
for i in range(1, args.generations + 1):
    alive, age = generation(alive, age)
    population[i] = alive.mean()
    if i % max(1, args.generations // 5) == 0:
        print(f"generation {i} of {args.generations}: {float(population[i]):.2%} of the cells live")

# %%
# On the left a corner of the world. Bright cells are old: still lifes, which change no more; dark
# ones have just been born.

figure, (world, history) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
corner = age[:128, :128].get().astype(float)
corner[corner == 0] = float("nan")  # dead cells stay white
picture = world.imshow(corner, cmap="cividis", interpolation="nearest")
world.set(title=f"generation {args.generations}", xlabel="column", ylabel="row")
figure.colorbar(picture, ax=world, label="age (generations)")
history.plot(100 * population.get())
history.set(title="population", xlabel="generation", ylabel="living cells (%)", ylim=(0, None))
history.grid(alpha=0.3)
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
