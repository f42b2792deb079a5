"""What a test needs: versions of packages, devices, time."""

from __future__ import annotations

import importlib.metadata
import unittest
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver

__all__ = ["installed", "multi_gpu", "numpy_satisfies", "slow", "with_requires"]


def installed(*specifiers: str) -> bool:
    """Whether packages are installed in versions that suit.

    Parameters
    ----------
    *specifiers : str
        Such as ``"numpy>=2.1"`` or ``"scipy"``; the package ``packaging`` reads them.

    Returns
    -------
    bool
        Whether all are.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.installed("numpy>=2.0"), testing.installed("no-such-package")
    (True, False)
    """
    from packaging.requirements import Requirement

    for text in specifiers:
        requirement = Requirement(text)
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            # A module may be part of a distribution with another name.
            names = importlib.metadata.packages_distributions().get(requirement.name)
            if not names:
                return False
            version = importlib.metadata.version(names[0])
        if requirement.specifier and not requirement.specifier.contains(version, prereleases=True):
            return False
    return True


def numpy_satisfies(version_range: str) -> bool:
    """Whether NumPy's version suits.

    Parameters
    ----------
    version_range : str
        Such as ``">=2.1"``.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.numpy_satisfies(">=2.0")
    True
    """
    return installed(f"numpy{version_range}")


def _skip_if(condition: bool, reason: str) -> Callable[[Any], Any]:
    try:
        import pytest
    except ImportError:
        return unittest.skipIf(condition, reason)
    return pytest.mark.skipif(condition, reason=reason)


def with_requires(*requirements: str) -> Callable[[Any], Any]:
    """A decorator: the test is skipped where packages are missing.

    Parameters
    ----------
    *requirements : str
        As for `installed`.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.with_requires("scipy>=1.16")
    ... def test_it():
    ...     pass
    """
    return _skip_if(not installed(*requirements), f"requires: {', '.join(requirements)}")


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """A decorator: the test is skipped where there are fewer devices.

    Parameters
    ----------
    gpu_num : int
        How many the test needs, at least 2.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    ValueError
        If it is less than 2.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.multi_gpu(2)
    ... def test_it():
    ...     pass
    """
    if gpu_num < 2:
        raise ValueError(f"multi_gpu: a test of several devices has at least 2, not {gpu_num}")
    return _skip_if(driver.device_count() < gpu_num, f"{gpu_num} devices are required")


def slow(*args: Any, **kwargs: Any) -> Any:
    """A decorator: pytest's marker ``slow``.

    Parameters
    ----------
    *args, **kwargs
        The test, or the marker's arguments.

    Returns
    -------
    callable
        The marked test, or the decorator.

    Examples
    --------
    >>> from gpuarray import testing
    >>> @testing.slow
    ... def test_it():
    ...     pass
    """
    import pytest

    return pytest.mark.slow(*args, **kwargs)
