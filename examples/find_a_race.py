"""
Finding a race
==============

A kernel that takes means of neighbours through shared memory forgets to wait until all threads have
stored their elements. Its results may be right a thousand times, and wrong on another machine. The
emulated device has checkers, which name the two lines that race.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

size = 1_000_000 if cp.cuda.is_available() else 2048  # the emulated device is slow
parser = argparse.ArgumentParser(description="A kernel with a race, and how to find it.")
parser.add_argument("--size", type=int, default=size, help="elements (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# Each thread stores one element and reads eight neighbours, which other warps may not have stored
# yet. ``-DWAIT`` makes the kernel right; ``-DWORST`` is the result if no other warp was in time.

SOURCE = r"""
extern "C" __global__ void means(const float* x, float* y, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
#ifdef WAIT
    __syncthreads();
#endif
    float sum = 0;
    int count = 0;
    for (int k = threadIdx.x - 4; k <= int(threadIdx.x) + 4; ++k) {
        if (k < 0 || k >= 256) continue;
        ++count;
#ifdef WORST
        if (k / 32 != threadIdx.x / 32) continue;
#endif
        sum += tile[k];
    }
    if (i < n) y[i] = sum / count;
}
"""
racy = cp.RawKernel(SOURCE, "means")
right = cp.RawKernel(SOURCE, "means", options=("-DWAIT",))
worst = cp.RawKernel(SOURCE, "means", options=("-DWORST",))


def means(kernel, x):
    y = cp.empty_like(x)
    kernel((-(-x.size // 256),), (256,), (x, y, cp.int32(x.size)))
    return y


x = 2 + cp.sin(cp.arange(args.size, dtype=cp.float32) / 20)
expected, here, late = means(right, x), means(racy, x), means(worst, x)
print(f"here {int((here != expected).sum())} of {args.size} elements are wrong")
print(f"at worst {int((late != expected).sum())} are")

# %%
# Under the checker both kernels run once more; each finding has the accesses that nothing orders.
# On a machine with a GPU, ``python -m gpuarray check find_a_race.py`` does it.

if not cp.cuda.is_available():
    for name, kernel in (("with the wait", right), ("without", racy)):
        with cp.cuda.check("races", raises=False) as checked:
            means(kernel, x)
        print(f"{name}: {len(checked.findings)} found")
    print(checked.findings[0])

# %%
# Errors lie where a warp of 32 threads ends: the neighbours there are another warp's.

figure, (above, below) = plt.subplots(2, 1, figsize=(9, 4.6), layout="constrained", sharex=True)
thread = range(256)
above.plot(thread, expected[:256].get(), color="#0072b2", label="right")
above.plot(thread, late[:256].get(), ".", color="#d55e00", label="at worst")
above.set(title="means of neighbours in the first block", ylabel="result")
below.vlines(thread, 0, (late - expected)[:256].get(), color="#d55e00", label="at worst")
below.plot(thread, (here - expected)[:256].get(), ".", color="k", markersize=3, label="in this run")
below.set(xlabel="thread of the block", ylabel="error", xticks=range(0, 257, 32))
for ax in (above, below):
    ax.grid(axis="x")
    ax.legend(loc="lower left")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
