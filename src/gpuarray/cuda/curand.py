"""cuRAND's generators, by CuPy's names; they need a GPU.

Examples
--------
>>> import gpuarray as cp
>>> cp.cuda.curand.CURAND_RNG_PSEUDO_DEFAULT
100
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ffi import curand
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current, need_context
from gpuarray.errors import CURANDError

__all__ = [
    "CURANDError", "check_status", "createGenerator", "destroyGenerator", "getVersion",
    "setStream", "setPseudoRandomGeneratorSeed", "setGeneratorOffset", "setGeneratorOrdering",
    "generate", "generateLongLong", "generateUniform", "generateUniformDouble",
    "generateNormal", "generateNormalDouble", "generateLogNormal", "generateLogNormalDouble",
    "generatePoisson", "CURAND_RNG_PSEUDO_DEFAULT", "CURAND_RNG_PSEUDO_XORWOW",
    "CURAND_RNG_PSEUDO_MRG32K3A", "CURAND_RNG_PSEUDO_MTGP32", "CURAND_RNG_PSEUDO_MT19937",
    "CURAND_RNG_PSEUDO_PHILOX4_32_10", "CURAND_RNG_QUASI_DEFAULT", "CURAND_RNG_QUASI_SOBOL32",
    "CURAND_RNG_QUASI_SCRAMBLED_SOBOL32", "CURAND_RNG_QUASI_SOBOL64",
    "CURAND_RNG_QUASI_SCRAMBLED_SOBOL64", "CURAND_ORDERING_PSEUDO_BEST",
    "CURAND_ORDERING_PSEUDO_DEFAULT", "CURAND_ORDERING_PSEUDO_SEEDED",
    "CURAND_ORDERING_QUASI_DEFAULT",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

CURAND_RNG_PSEUDO_DEFAULT = 100
CURAND_RNG_PSEUDO_XORWOW = 101
CURAND_RNG_PSEUDO_MRG32K3A = 121
CURAND_RNG_PSEUDO_MTGP32 = 141
CURAND_RNG_PSEUDO_MT19937 = 142
CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
CURAND_RNG_QUASI_DEFAULT = 200
CURAND_RNG_QUASI_SOBOL32 = 201
CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202
CURAND_RNG_QUASI_SOBOL64 = 203
CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
CURAND_ORDERING_PSEUDO_BEST = 100
CURAND_ORDERING_PSEUDO_DEFAULT = 101
CURAND_ORDERING_PSEUDO_SEEDED = 102
CURAND_ORDERING_QUASI_DEFAULT = 201


def check_status(status: int) -> None:
    """Raise the error for a status of cuRAND; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CURANDError
        The status is not 0.
    """
    if status:
        raise CURANDError("a call of cuRAND", status, curand.library.status_name(status))


def getVersion() -> int:
    """The version of cuRAND, 10310 for 10.3.10.

    Returns
    -------
    int
        The version.
    """
    return curand.library.curandGetVersion()


def createGenerator(rng_type: int) -> int:
    """Make a generator on the current device.

    Parameters
    ----------
    rng_type : int
        One of the constants ``CURAND_RNG_...``.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return curand.library.curandCreateGenerator(rng_type)


def destroyGenerator(generator: int) -> None:
    """Free a generator.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    """
    curand.library.curandDestroyGenerator(generator)


def setStream(generator: int, stream: int) -> None:
    """Set the stream of a generator's work.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    stream : int
        A stream's handle, such as `Stream.ptr`.
    """
    curand.library.curandSetStream(generator, stream)


def setPseudoRandomGeneratorSeed(generator: int, seed: int) -> None:
    """Set the seed of a generator.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    seed : int
        The seed.
    """
    curand.library.curandSetPseudoRandomGeneratorSeed(generator, seed)


def setGeneratorOffset(generator: int, offset: int) -> None:
    """Skip numbers of a generator.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    offset : int
        How many.
    """
    curand.library.curandSetGeneratorOffset(generator, offset)


def setGeneratorOrdering(generator: int, order: int) -> None:
    """Set the order in which a generator writes its numbers.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    order : int
        One of the constants ``CURAND_ORDERING_...``.
    """
    curand.library.curandSetGeneratorOrdering(generator, order)


def generate(generator: int, outputPtr: int, num: int) -> None:
    """Write 32-bit random integers, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    num : int
        How many numbers.
    """
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerate(generator, outputPtr, num)


def generateLongLong(generator: int, outputPtr: int, num: int) -> None:
    """Write 64-bit random integers of a quasirandom generator, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    num : int
        How many numbers.
    """
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateLongLong(generator, outputPtr, num)


def generateUniform(generator: int, outputPtr: int, num: int) -> None:
    """Write float32 between 0 (left out) and 1, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    num : int
        How many numbers.
    """
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateUniform(generator, outputPtr, num)


def generateUniformDouble(generator: int, outputPtr: int, num: int) -> None:
    """Write float64 between 0 (left out) and 1, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    num : int
        How many numbers.
    """
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateUniformDouble(generator, outputPtr, num)


def generateNormal(generator: int, outputPtr: int, n: int, mean: float, stddev: float) -> None:
    """Write normally distributed float32, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    n : int
        How many numbers, an even one.
    mean : float
        Their mean.
    stddev : float
        Their standard deviation.
    """
    _check_even("generateNormal", n)
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateNormal(generator, outputPtr, n, mean, stddev)


def generateNormalDouble(
    generator: int, outputPtr: int, n: int, mean: float, stddev: float
) -> None:
    """Write normally distributed float64, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    n : int
        How many numbers, an even one.
    mean : float
        Their mean.
    stddev : float
        Their standard deviation.
    """
    _check_even("generateNormalDouble", n)
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateNormalDouble(generator, outputPtr, n, mean, stddev)


def generateLogNormal(generator: int, outputPtr: int, n: int, mean: float, stddev: float) -> None:
    """Write log-normally distributed float32, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    n : int
        How many numbers, an even one.
    mean : float
        The mean of their logarithms.
    stddev : float
        The standard deviation of their logarithms.
    """
    _check_even("generateLogNormal", n)
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateLogNormal(generator, outputPtr, n, mean, stddev)


def generateLogNormalDouble(
    generator: int, outputPtr: int, n: int, mean: float, stddev: float
) -> None:
    """Write log-normally distributed float64, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    n : int
        How many numbers, an even one.
    mean : float
        The mean of their logarithms.
    stddev : float
        The standard deviation of their logarithms.
    """
    _check_even("generateLogNormalDouble", n)
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGenerateLogNormalDouble(generator, outputPtr, n, mean, stddev)


def generatePoisson(generator: int, outputPtr: int, n: int, lam: float) -> None:
    """Write Poisson-distributed 32-bit integers, on the current stream.

    Parameters
    ----------
    generator : int
        A handle of `createGenerator`.
    outputPtr : int
        An address on the device.
    n : int
        How many numbers.
    lam : float
        Their mean.
    """
    curand.library.curandSetStream(generator, current.stream.handle)
    curand.library.curandGeneratePoisson(generator, outputPtr, n, lam)


def _check_even(name: str, n: int) -> None:
    if n % 2:
        raise ValueError(f"{name}: cuRAND makes normal numbers in pairs, and {n} is odd")


without_annotations(globals())
