"""
The field of charges, by Fourier transforms
===========================================

The potential of charges solves Poisson's equation ∇²φ = -ρ. In a periodic box each wave can be
solved by itself: the transform of φ is that of ρ, divided by k².
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size = 4096 if cp.cuda.is_available() else 128  # the emulated device is slow
parser = argparse.ArgumentParser(description="Poisson's equation in a periodic box.")
parser.add_argument("--size", type=int, default=size, help="points on a side (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Five charges, each spread over a small disc. In a periodic box they have to sum to zero.

x = cp.linspace(0, 1, args.size, endpoint=False)
y = x[:, None]
charges = [(0.3, 0.35, 1), (0.7, 0.3, -1), (0.5, 0.55, 1), (0.25, 0.7, -2), (0.75, 0.75, 1)]
density = cp.zeros((args.size, args.size))
for cx, cy, charge in charges:
    density += charge * cp.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 0.02**2))
density -= density.mean()

# %%
# ``rfft2`` of a real array keeps half of the waves: the others are their conjugates. The wave of
# length zero, the mean, is free; here it is zero.

kx = 2 * cp.pi * cp.fft.rfftfreq(args.size, 1 / args.size)
ky = 2 * cp.pi * cp.fft.fftfreq(args.size, 1 / args.size)[:, None]
square = kx**2 + ky**2
square[0, 0] = 1
waves = cp.fft.rfft2(density) / square
waves[0, 0] = 0
potential = cp.fft.irfft2(waves)

# %%
# The field is minus the gradient: a factor of -ik for each wave. Its divergence has to be
# the density again, here by differences of neighbours.

ex = cp.fft.irfft2(-1j * kx * waves)
ey = cp.fft.irfft2(-1j * ky * waves)
gradient = cp.gradient(cp.pad(ex, 1, mode="wrap"), 1 / args.size, axis=1)
gradient += cp.gradient(cp.pad(ey, 1, mode="wrap"), 1 / args.size, axis=0)
divergence = gradient[1:-1, 1:-1]
difference = float(abs(divergence - density).max() / abs(density).max())
print(f"the divergence of the field differs from the density by {difference:.1e} at most")

# %%
# Lines of the field run from positive charges to negative ones, across the potential's levels.

figure, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
few = slice(None, None, max(1, args.size // 128))
px, py = x[few].get(), x[few].get()
values = 1000 * potential[few, few].get()
limit = abs(values).max()
levels = ax.contourf(px, py, values, 24, cmap="PuOr", vmin=-limit, vmax=limit)
ax.streamplot(px, py, ex[few, few].get(), ey[few, few].get(), color="k", linewidth=0.6, density=1.4)
for cx, cy, charge in charges:
    ax.plot(cx, cy, "o", color="white", markeredgecolor="black", markersize=18)
    ax.text(cx, cy, f"{charge:+d}", ha="center", va="center")
ax.set(title="potential and field of five charges", xlabel="x", ylabel="y", aspect="equal")
figure.colorbar(levels, ax=ax, label="potential (thousandths)")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
