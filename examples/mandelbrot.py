"""The Mandelbrot set with a kernel of one's own, printed as text.

python examples/mandelbrot.py
"""

import numpy as np

import gpuarray as cp

SOURCE = r"""
extern "C" __global__
void mandelbrot(int* counts, int width, int height, int most) {
    int column = blockDim.x * blockIdx.x + threadIdx.x;
    int row = blockDim.y * blockIdx.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float cx = -2.2f + 3.2f * column / width, cy = -1.2f + 2.4f * row / height;
    float x = 0, y = 0;
    int count = 0;
    while (count < most && x * x + y * y <= 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++count;
    }
    counts[row * width + column] = count;
}
"""


def main(width=72, height=24, most=30):
    kernel = cp.RawKernel(SOURCE, "mandelbrot")
    counts = cp.zeros((height, width), dtype=cp.int32)
    block = (16, 8)
    grid = (-(-width // block[0]), -(-height // block[1]))
    kernel(grid, block, (counts, np.int32(width), np.int32(height), np.int32(most)))
    inside = cp.asnumpy(counts == most)
    for row, line in zip(inside, cp.asnumpy(counts), strict=True):
        print("".join("#" if i else "." if c > 5 else " " for i, c in zip(row, line, strict=True)))
    print(f"{int((counts == most).sum())} of {counts.size} points stay")


if __name__ == "__main__":
    main()
