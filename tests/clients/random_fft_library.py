"""A pytest plugin that runs NumPy's and SciPy's own tests of random numbers and transforms on ours.

pytest -p tests.clients.random_fft_library --pyargs numpy.random.tests.test_direct
"""

from __future__ import annotations

import sys

import pytest


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "array_api_backends: of SciPy's own configuration")
    # gpuarray reads its settings when it is imported: the tests' own conftest makes them first.
    from tests.clients import fourier_stand_ins, random_stand_ins
    from tests.clients.replaced_imports import Finder

    packages = {
        "numpy.random.tests": random_stand_ins.MODULES,
        "numpy.fft.tests": fourier_stand_ins.NUMPY_MODULES,
        "scipy.fft.tests": fourier_stand_ins.SCIPY_MODULES,
        "scipy.fft._pocketfft.tests": fourier_stand_ins.SCIPY_MODULES,
        "scipy.fftpack.tests": fourier_stand_ins.SCIPY_MODULES,
    }
    sys.meta_path.insert(0, Finder(packages))
