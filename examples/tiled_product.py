"""
A matrix product in tiles
=========================

A kernel in CUDA C++, twice. The plain one reads every element of both matrices *n* times from
memory. The other one has each block of threads keep tiles of them in shared memory, where 16
threads use each element that was read once. On an H200:

.. image:: /pictures/tiled-product-h200.png
   :alt: GFLOP/s of products of two matrices by their size: the kernel in tiles is some three times
         as fast as the plain one, and cuBLAS faster still.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size = 4096 if cp.cuda.is_available() else 64  # the emulated device is slow
parser = argparse.ArgumentParser(description="Matrix products: plain, in tiles, by the library.")
parser.add_argument("--size", type=int, default=size, help="the largest matrices (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# One source; ``-DTILED`` chooses. The threads of a tile wait twice: until all have stored their
# elements, and until all have used them.

SOURCE = r"""
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
#ifdef TILED
    __shared__ float left[16][16], right[16][16];
    for (int k = 0; k < n; k += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
#else
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
#endif
    c[row * n + column] = sum;
}
"""
plain = cp.RawKernel(SOURCE, "multiply")
tiled = cp.RawKernel(SOURCE, "multiply", options=("-DTILED",))


def by(kernel):
    def product(a, b):
        n = len(a)  # a multiple of 16, so that tiles are full
        c = cp.empty_like(a)
        kernel((n // 16, n // 16), (16, 16), (a, b, c, cp.int32(n)))
        return c

    return product


# %%
# :func:`~gpuarray.profiler.benchmark` measures on the device. In programs ``a @ b`` is the one to
# use: NVIDIA's library keeps tiles in registers, too.

products = {"plain": by(plain), "in tiles": by(tiled), "a @ b": cp.matmul}
sizes = [args.size >> k for k in (3, 2, 1, 0) if args.size >> k >= 16]
speed = {name: [] for name in products}
for n in sizes:
    a, b = cp.random.default_rng(n).random((2, n, n), dtype=cp.float32)
    for name, product in products.items():
        assert cp.allclose(product(a, b), a @ b, rtol=1e-4)
        times = cp.profiler.benchmark(product, (a, b), n_repeat=5, n_warmup=1).gpu_times
        speed[name].append(2 * n**3 / times.min() / 1e9)
        print(f"{n} x {n}, {name}: {speed[name][-1]:.3g} GFLOP/s")

# %%
# Each product is 2n³ operations.

figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
for (name, values), style in zip(speed.items(), ("o-", "s--", "^:"), strict=True):
    ax.loglog(sizes, values, style, label=name)
ax.set_xticks(sizes, map(str, sizes), minor=False)
ax.minorticks_off()
ax.set(title="products of two matrices", xlabel="rows and columns", ylabel="GFLOP/s")
ax.grid(alpha=0.3)
ax.legend()
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
