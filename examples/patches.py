"""
What a photograph is made of
============================

Principal component analysis of small squares of a photograph. A few components explain almost all
of the squares: the mean brightness, slopes, edges, then finer waves. That is why pictures can be
compressed.
"""

import argparse

import matplotlib.pyplot as plt
from matplotlib.cbook import get_sample_data

import gpuarray as cp

every = 1 if cp.cuda.is_available() else 4  # the emulated device is slow
parser = argparse.ArgumentParser(description="Principal components of squares of a photograph.")
parser.add_argument("--side", type=int, default=12, help="pixels of a square (%(default)s)")
parser.add_argument("--every", type=int, default=every, help="take every n-th square (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Every square of the photograph becomes a row of a matrix. The squares overlap:
# ``sliding_window_view`` shows them without a copy, ``reshape`` makes one.

with get_sample_data("grace_hopper.jpg") as file:
    photo = cp.asarray(plt.imread(file))
grey = photo.astype(cp.float32).mean(axis=2) / 255
squares = cp.lib.stride_tricks.sliding_window_view(grey, (args.side, args.side))
rows = squares[:: args.every, :: args.every].reshape(-1, args.side**2)
print(f"{rows.shape[0]} squares of {args.side} x {args.side} pixels")

# %%
# The components are the eigenvectors of the covariance; ``eigh`` sorts them by ascending variance.

rows = rows - rows.mean(axis=0)
covariance = rows.T @ rows / (len(rows) - 1)
variance, components = cp.linalg.eigh(covariance)
variance, components = variance[::-1], components[:, ::-1]
explained = (variance.cumsum() / variance.sum()).get()
for k in (1, 4, 16):
    print(f"{k:2} of {args.side**2} components explain {explained[k - 1]:.1%} of the variance")

# %%
# The first 24 components, and how much of the variance the first *n* explain.

figure = plt.figure(figsize=(10, 4), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(3, 2))
pictures = components.T.reshape(-1, args.side, args.side)[:24].get()
for ax, picture in zip(left.subplots(4, 6).flat, pictures, strict=True):
    limit = abs(picture).max()
    ax.imshow(picture, cmap="cividis", vmin=-limit, vmax=limit)
    ax.axis("off")
left.suptitle("the first 24 components")
ax = right.subplots()
ax.plot(range(1, len(explained) + 1), 100 * explained)
ax.set(title="variance explained", xlabel="components", ylabel="of all variance (%)")
ax.set(xscale="log", ylim=(None, 101))
ax.grid(alpha=0.3)
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
