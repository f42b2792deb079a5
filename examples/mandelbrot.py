"""
The Mandelbrot set
==================

What happens to one element, in C++, and :class:`~gpuarray.ElementwiseKernel` makes a function of
whole arrays of it: here how soon z → z² + c leaves a circle, for the *c* of each pixel.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

height, iterations = (2000, 1000) if cp.cuda.is_available() else (300, 100)
parser = argparse.ArgumentParser(description="The Mandelbrot set with a kernel of one's own.")
parser.add_argument("--height", type=int, default=height, help="pixels (%(default)s)")
parser.add_argument("--iterations", type=int, default=iterations, help="%(default)s")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# The count of steps is made smooth by how far *z* has gone at last: without that the picture
# would have bands. Points that never leave get NaN, which is drawn in black.

escape_time = cp.ElementwiseKernel(
    "T re, T im, int32 most",
    "T steps",
    """
    T x = 0, y = 0;
    int count = 0;
    while (count < most && x * x + y * y < 256) {
        T next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        ++count;
    }
    steps = count == most ? T(nan("")) : count + 1 - log2(log2(x * x + y * y) / 2);
    """,
    "escape_time",
)

# %%
# A row of real parts and a column of imaginary parts broadcast to the picture.

left, right, bottom, top = -2.2, 1.0, -1.2, 1.2
width = round(args.height * (right - left) / (top - bottom))
re = cp.linspace(left, right, width)
im = cp.linspace(bottom, top, args.height)[:, None]
steps = escape_time(re, im, args.iterations)
inside = cp.isnan(steps)
area = float(inside.mean()) * (right - left) * (top - bottom)
print(f"{width} x {args.height} points; area of the set: {area:.3f} (known: 1.507)")

# %%
# Colours follow the logarithm of the steps, so that there is detail near the edge.

figure, ax = plt.subplots(figsize=(8, 5.4), layout="constrained")
ax.set_facecolor("black")
picture = ax.imshow(
    cp.log(steps + 1).get(), extent=(left, right, bottom, top), origin="lower", cmap="magma"
)
ax.set(title="The Mandelbrot set", xlabel="Re c", ylabel="Im c")
figure.colorbar(picture, ax=ax, label="log(1 + steps until z leaves)")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
