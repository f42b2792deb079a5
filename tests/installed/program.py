"""What a user's program does, with the installed wheel, from an empty folder: `nox -s package`.

It prints what was found and how much the installation takes.
"""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import sys
from pathlib import Path

import numpy as np

import gpuarray as cp


def size(folder: Path) -> int:
    """The bytes of the files below a folder."""
    return sum(x.lstat().st_size for x in folder.rglob("*") if x.is_file() and not x.is_symlink())


def main() -> None:
    package = Path(cp.__file__).parent
    site = package.parent
    assert site.is_relative_to(sys.prefix), f"{package} is not what was installed"
    assert importlib.metadata.version("gpuarray-cuda") == cp.__version__
    assert importlib.metadata.packages_distributions()["gpuarray"] == ["gpuarray-cuda"]
    files = importlib.resources.files("gpuarray")
    assert files.joinpath("py.typed").is_file()
    assert files.joinpath("kernels", "scan").is_dir()

    # One of each: a kernel that is generated, a family with headers, libraries, a user's kernel.
    rng = np.random.default_rng(0)
    host = rng.random((40, 40))
    x = cp.asarray(host)
    np.testing.assert_allclose(cp.asnumpy(cp.sqrt(x) + x.T), np.sqrt(host) + host.T)
    np.testing.assert_array_equal(cp.asnumpy(cp.sort(x.ravel())), np.sort(host.ravel()))
    np.testing.assert_allclose(cp.asnumpy(x.cumsum()), host.cumsum())
    np.testing.assert_allclose(cp.asnumpy(x @ x), host @ host)
    np.testing.assert_allclose(cp.asnumpy(cp.linalg.inv(x)), np.linalg.inv(host), rtol=1e-7)
    np.testing.assert_allclose(cp.asnumpy(cp.fft.rfft(x)), np.fft.rfft(host), atol=1e-12)
    generator = cp.random.Generator(cp.random.PCG64(1))
    expected = np.random.Generator(np.random.PCG64(1)).random(5)
    np.testing.assert_array_equal(cp.asnumpy(generator.random(5)), expected)
    twice = cp.ElementwiseKernel("float64 x", "float64 y", "y = 2 * x", "twice")
    np.testing.assert_array_equal(cp.asnumpy(twice(x)), 2 * host)

    parts = {
        "CUDA's libraries": site / "nvidia",
        "NumPy": site / "numpy",
        "its libraries": site / "numpy.libs",
        "the package": package,
    }
    sizes = {name: size(folder) for name, folder in parts.items() if folder.is_dir()}
    for name, count in sizes.items():
        print(f"{name}: {count / 1e6:.0f} MB")
    print(f"in all: {sum(sizes.values()) / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
