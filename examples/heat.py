"""Heat in a plate: Jacobi's iteration with slices, the same code for NumPy and the device.

python examples/heat.py [side] [steps]
"""

import sys

import numpy as np

import gpuarray as cp


def relax(plate, steps):
    """Replace each inner point by the mean of its four neighbours, `steps` times."""
    for _ in range(steps):
        plate[1:-1, 1:-1] = 0.25 * (
            plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        )
    return plate


def main(side=32, steps=10):
    start = np.zeros((side, side), dtype=np.float32)
    start[0] = 100  # one hot edge
    result = relax(cp.asarray(start), steps)
    expected = relax(start.copy(), steps)
    np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=1e-6)
    print(f"{steps} steps on {side} x {side}: mean {float(result.mean()):.4f}, as with NumPy")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3] if argument.isdigit()))
