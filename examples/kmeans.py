"""
The colours of a photograph
===========================

Eight colours are enough for a picture, if they are the right ones. K-means finds them: each pixel
belongs to the nearest of *k* colours, and each colour moves to the mean of its pixels, until
nothing moves any more.
"""

import argparse

import matplotlib.pyplot as plt
from matplotlib.cbook import get_sample_data

import gpuarray as cp

every = 1 if cp.cuda.is_available() else 4  # the emulated device is slow
parser = argparse.ArgumentParser(description="K-means of the colours of a photograph.")
parser.add_argument("--colours", type=int, default=8, help="how many to find (%(default)s)")
parser.add_argument("--every", type=int, default=every, help="take every n-th pixel (%(default)s)")
parser.add_argument("--picture", metavar="FILE", help="another one than Matplotlib's example")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# A photograph that comes with Matplotlib: Grace Hopper, a pioneer of programming.

with open(args.picture, "rb") if args.picture else get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file)[:: args.every, :: args.every, :3]
pixels = cp.asarray(photo).reshape(-1, 3).astype(cp.float32) / 255

# %%
# The first colour is a pixel; each further one is the pixel that is farthest from those chosen.


def distances(colours):
    """The squared distance of each pixel from each colour."""
    difference = pixels[:, None, :] - colours
    return (difference * difference).sum(axis=2)


chosen = pixels[:1]
while len(chosen) < args.colours:
    farthest = distances(chosen).min(axis=1).argmax()
    chosen = cp.concatenate([chosen, pixels[farthest][None]])

# %%
# :func:`~gpuarray.bincount` adds the pixels of each colour, a channel at a time.

colours = chosen
errors = []
for i in range(50):
    every = distances(colours)
    label = every.argmin(axis=1)
    errors.append(float(every.min(axis=1).mean()) ** 0.5)
    print(f"round {i + 1}: a pixel is {errors[-1]:.4f} from its colour")
    count = cp.bincount(label, minlength=args.colours)
    sums = [cp.bincount(label, pixels[:, c], minlength=args.colours) for c in range(3)]
    colours = (cp.stack(sums, axis=1) / count[:, None]).astype(cp.float32)
    if len(errors) > 1 and errors[-2] - errors[-1] < 1e-4:
        break

# %%
# The palette is sorted by how many pixels have each colour.

figure, axes = plt.subplots(1, 3, figsize=(9, 4), layout="constrained", width_ratios=(3, 3, 2))
axes[0].imshow(photo)
axes[0].set_title("photograph")
axes[1].imshow(colours[label].reshape(photo.shape).get())
axes[1].set_title(f"{args.colours} colours")
for ax in axes[:2]:
    ax.axis("off")
order = cp.argsort(-count).get()
share = 100 * (count / count.sum()).get()[order]
axes[2].barh(range(args.colours), share, color=colours.get()[order], edgecolor="grey")
axes[2].set(title="palette", xlabel="pixels (%)", yticks=[])
axes[2].invert_yaxis()
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
