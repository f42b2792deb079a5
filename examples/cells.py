"""
Counting cells in an image
==========================

A pipeline as for pictures of a microscope: even out the light, take away the noise, find a
threshold, and give each piece above it a number. The picture is made by the program, so that it
knows how many cells there are.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size = 2048 if cp.cuda.is_available() else 128  # the emulated device is slow
parser = argparse.ArgumentParser(description="Count bright cells in a noisy image.")
parser.add_argument("--size", type=int, default=size, help="pixels on a side (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Cells of several sizes, each in a square of 16 pixels of its own, under a light that grows to the
# lower right, with the noise of a camera.

rng = cp.random.default_rng(5)
squares = args.size // 16
present = rng.random((squares, squares)) < 0.6
radius = rng.uniform(2.5, 5, (squares, squares)) * present
shift = rng.uniform(-1.5, 1.5, (2, squares, squares))


def enlarge(values):
    return values.repeat(16, axis=0).repeat(16, axis=1)


row, column = cp.indices((16 * squares, 16 * squares))
distance = cp.hypot(row % 16 - 7.5 - enlarge(shift[0]), column % 16 - 7.5 - enlarge(shift[1]))
cells = enlarge(present) / (1 + cp.exp(2 * (distance - enlarge(radius))))
light = 0.4 + (row + column) / args.size
image = light * (1 + cells) + rng.normal(0, 0.15, light.shape)

# %%
# The light: the plane that fits the image best. The noise: each pixel becomes the median of nine.

terms = cp.stack([cp.ones(image.size), row.ravel(), column.ravel()], axis=1)
plane = terms @ cp.linalg.solve(terms.T @ terms, terms.T @ image.ravel())
flat = image / plane.reshape(image.shape)
windows = cp.lib.stride_tricks.sliding_window_view(cp.pad(flat, 1, mode="edge"), (3, 3))
smooth = cp.median(windows.reshape(*image.shape, 9), axis=2)

# %%
# Otsu's threshold divides the histogram so that the means of the two parts are far apart.

counts, edges = cp.histogram(smooth, bins=64)
middle = (edges[1:] + edges[:-1]) / 2
below = counts.cumsum() / counts.sum()
sum_below = (counts * middle).cumsum() / counts.sum()
apart = (sum_below[-1] * below - sum_below) ** 2 / (below * (1 - below) + 1e-9)
above = smooth > middle[apart.argmax()]

# %%
# Numbers spread among neighbours until each piece has one, that of its last pixel.

label = cp.where(above, cp.arange(1, image.size + 1).reshape(image.shape), 0)
while True:
    around = cp.pad(label, 1)
    across = cp.maximum(around[:-2, 1:-1], around[2:, 1:-1])
    along = cp.maximum(around[1:-1, :-2], around[1:-1, 2:])
    grown = cp.where(above, cp.maximum(label, cp.maximum(across, along)), 0)
    if (grown == label).all():
        break
    label = grown
area = cp.bincount(label.ravel())
area[0] = 0
found = int((area > 8).sum())
print(f"{found} cells found, {int(present.sum())} are there")

# %%
# A corner of the picture before, in the middle, and after, where the colour is a piece's area.

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
areas = cp.where(above, area[label], cp.nan)
for ax, values, cmap in zip(axes, (image, smooth, areas), ("gray", "gray", "viridis"), strict=True):
    picture = ax.imshow(values[:160, :160].get(), cmap=cmap)
    ax.set(xlabel="pixel", xticks=range(0, 129, 64), yticks=range(0, 129, 64))
axes[0].set_title("camera")
axes[1].set_title("evened, without noise")
axes[2].set_title(f"{found} pieces")
figure.colorbar(picture, ax=axes[2], label="area (pixels)")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
