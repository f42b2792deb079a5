"""Read-only arrays: what is one, and that nothing writes to one."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import jit
from tests.array.arrays import device_copy, raises_alike


def locked(x):
    x.flags.writeable = False
    return x


# ---- what is read-only -------------------------------------------------------------------------

#: Views and results, and whether NumPy's can be written to.
MADE = {
    "new": lambda xp, x: x,
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3, 3)),
    "broadcast_to again": lambda xp, x: [xp.broadcast_to(x, (2, 3, 3)) for _ in range(2)][1],
    "broadcast_to its own shape": lambda xp, x: xp.broadcast_to(x, (3, 3)),
    "a row of broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3, 3))[0],
    "an element of broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3, 3))[0, 0, :1],
    "broadcast_to reshaped": lambda xp, x: xp.broadcast_to(x, (3, 3)).reshape(9),
    "broadcast_to reshaped again": lambda xp, x: xp.broadcast_to(x, (3, 3)).reshape(9).reshape(3, 3),
    "broadcast_to transposed": lambda xp, x: xp.broadcast_to(x, (3, 3)).T,
    "broadcast_to with axes permuted": lambda xp, x: xp.broadcast_to(x, (3, 3)).transpose(1, 0),
    "broadcast_to with an axis more": lambda xp, x: xp.expand_dims(xp.broadcast_to(x, (3, 3)), 0),
    "broadcast_to in one dimension": lambda xp, x: xp.broadcast_to(x, (3, 3)).ravel(),
    "broadcast_to as another dtype": lambda xp, x: xp.broadcast_to(x, (3, 3)).view("u8"),
    "broadcast_to copied": lambda xp, x: xp.broadcast_to(x, (2, 3, 3)).copy(),
    "broadcast_to flattened": lambda xp, x: xp.broadcast_to(x, (3, 3)).flatten(),
    "broadcast_to and an operation": lambda xp, x: xp.broadcast_to(x, (3, 3)) + 1,
    "broadcast_to sorted": lambda xp, x: xp.sort(xp.broadcast_to(x, (3, 3))),
    "a row of broadcast_to sorted": lambda xp, x: xp.sort(xp.broadcast_to(x, (3, 3))[0]),
    "broadcast_to partitioned": lambda xp, x: xp.partition(xp.broadcast_to(x, (3, 3)), 1),
    "like broadcast_to": lambda xp, x: xp.zeros_like(xp.broadcast_to(x, (3, 3))),
    "broadcast_to gathered": lambda xp, x: xp.broadcast_to(x, (3, 3))[[0, 1]],
    "broadcast_to summed": lambda xp, x: xp.broadcast_to(x, (3, 3)).sum(axis=0),
    "broadcast_to accumulated": lambda xp, x: xp.broadcast_to(x, (3, 3)).cumsum(axis=0),
    "diagonal": lambda xp, x: xp.diagonal(x),
    "diagonal, the method": lambda xp, x: x.diagonal(),
    "diag of a matrix": lambda xp, x: xp.diag(x),
    "diag of a diagonal": lambda xp, x: xp.diag(x[0]),
    "imag of real": lambda xp, x: x.imag,
    "imag of real, the function": lambda xp, x: xp.imag(x),
    "real of real": lambda xp, x: x.real,
    "imag of complex": lambda xp, x: (x + 1j).imag,
    "imag of read-only complex": lambda xp, x: xp.broadcast_to(x + 1j, (3, 3)).imag,
    "real of read-only complex": lambda xp, x: xp.broadcast_to(x + 1j, (3, 3)).real,
    "made read-only": lambda xp, x: locked(x),
    "a view of one made read-only": lambda xp, x: locked(x)[1:],
    "transposed after the writable was": lambda xp, x: (x.T, locked(x).T)[1],
    "reshaped after the writable was": lambda xp, x: (x.reshape(9), locked(x).reshape(9))[1],
    "a row after the writable's": lambda xp, x: (x[0], locked(x)[0])[1],
    "a slice after the writable's": lambda xp, x: (x[1:], locked(x)[1:])[1],
    "asarray of one": lambda xp, x: xp.asarray(locked(x)),
    "array of one": lambda xp, x: xp.array(locked(x)),
    "copy.copy of one": lambda xp, x: copy.copy(locked(x)),
    "pickled": lambda xp, x: pickle.loads(pickle.dumps(locked(x))),
    "squeezed": lambda xp, x: xp.squeeze(locked(x)[:1]),
    "swapped": lambda xp, x: locked(x).swapaxes(0, 1),
    "at least 3-d": lambda xp, x: xp.atleast_3d(locked(x)),
    "split": lambda xp, x: xp.split(locked(x), 3)[1],
    "empty": lambda xp, x: locked(x)[:0],
    "flipped": lambda xp, x: xp.flip(locked(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_as_in_numpy(name):
    host = np.arange(9.0).reshape(3, 3)
    expected = MADE[name](np, host.copy()).flags.writeable
    for _ in range(2):  # cold, then from the tables of views and plans
        result = MADE[name](cp, cp.asarray(host))
        assert result.flags.writeable is expected
        assert result.flags["W"] is result.flags["WRITEABLE"] is expected
    if expected:
        result[...] = 7
        assert (cp.asnumpy(result) == 7).all()
    elif result.size:
        before = cp.asnumpy(result)
        with pytest.raises(ValueError, match="read-only"):
            result[...] = 7
        np.testing.assert_array_equal(cp.asnumpy(result), before)


def test_what_broadcast_arrays_has_broadcast():
    x, y = cp.broadcast_arrays(cp.ones((2, 1)), cp.ones((2, 3)))
    assert (x.flags.writeable, y.flags.writeable) == (False, True)


def test_the_flag_is_set_and_shown():
    x = cp.zeros(3)
    assert "WRITEABLE : True" in repr(x.flags)
    flags = x.flags
    x.setflags(write=False)
    assert flags.writeable is False
    assert "WRITEABLE : False" in repr(x.flags)
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    x.flags["WRITEABLE"] = True
    x += 1
    x.setflags(write=0)
    x.flags.writeable = 1
    x += 1
    assert x.tolist() == [2, 2, 2]
    with pytest.raises(KeyError):
        x.flags["C"] = False
    with pytest.raises(KeyError):
        x.flags["array"]
    with pytest.raises(ValueError, match="write"):
        x.setflags(align=False)


def test_making_one_read_only_leaves_others_alone():
    x = cp.arange(4)
    y, z = x[:], cp.arange(4)
    x.flags.writeable = False
    y += 1
    z += 1
    assert x.tolist() == y.tolist() == z.tolist() == [1, 2, 3, 4]


def test_elements_that_share_memory_are_refused_in_any_case():
    x = cp.broadcast_to(cp.zeros(3), (2, 3))
    x.flags.writeable = True
    with pytest.raises(ValueError, match="broadcast view"):
        x += 1


# ---- other libraries' memory -------------------------------------------------------------------


class Exported:
    """Memory as another library exports it."""

    def __init__(self, array, read_only):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__ | {
            "data": (array.__cuda_array_interface__["data"][0], read_only)
        }


@pytest.mark.parametrize("size", [3, 0])
def test_a_read_only_interface(size):
    x = cp.asarray(Exported(cp.zeros(size), True))
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    with pytest.raises(ValueError, match="read-only"):
        x[:] = 1
    assert (x + 1).flags.writeable
    assert cp.asarray(Exported(cp.zeros(size), False)).flags.writeable


def test_memory_that_is_read_only_stays_so():
    x = cp.asarray(Exported(cp.zeros(3), True))
    for one in (x, x[1:]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            one.flags.writeable = True


def test_a_read_only_array_is_exported_as_one():
    x = locked(cp.arange(3))
    assert x.__cuda_array_interface__["data"][1] is True
    assert cp.arange(3).__cuda_array_interface__["data"][1] is False
    y = cp.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    assert not y.flags.writeable
    assert cp.from_dlpack(x, copy=True).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1
    raises_alike(lambda: locked(np.arange(3)).__dlpack__(), lambda: x.__dlpack__())
    with pytest.raises(BufferError, match="read-only"):
        x.toDlpack()
    assert cp.from_dlpack(cp.arange(3)).flags.writeable


# ---- what writes -------------------------------------------------------------------------------

A = np.arange(9.0).reshape(3, 3)

#: ``write(xp, x, a)``: x is read-only, of shape (3,) and float64; a of shape (3, 3).
WRITERS = {
    "x[0]": lambda xp, x, a: x.__setitem__(0, 1),
    "x[:]": lambda xp, x, a: x.__setitem__(slice(None), a[0]),
    "x[:0]": lambda xp, x, a: x.__setitem__(slice(0), []),
    "x[...]": lambda xp, x, a: x.__setitem__(..., 1),
    "x[...] itself": lambda xp, x, a: x.__setitem__(..., x),
    "x[[]]": lambda xp, x, a: x.__setitem__([], 1),
    "x[list]": lambda xp, x, a: x.__setitem__([0, 1], 1),
    "x[indices]": lambda xp, x, a: x.__setitem__(xp.asarray([0, 1]), a[0, :2]),
    "x[mask] = 1": lambda xp, x, a: x.__setitem__(a[0] > 0, 1),
    "x[mask] = array": lambda xp, x, a: x.__setitem__(a[0] > 0, a[0, :2]),
    "x[None, mask]": lambda xp, x, a: x.__setitem__((None, a[0] > 0), 1),
    "x.real": lambda xp, x, a: setattr(x, "real", 1),
    "+= number": lambda xp, x, a: x.__iadd__(1),
    "+= array": lambda xp, x, a: x.__iadd__(a[0]),
    "*= itself": lambda xp, x, a: x.__imul__(x),
    "fill": lambda xp, x, a: x.fill(1),
    "fill with an array": lambda xp, x, a: x.fill(a[0, 0]),
    "sort": lambda xp, x, a: x.sort(),
    "partition": lambda xp, x, a: x.partition(1),
    "put_along_axis": lambda xp, x, a: xp.put_along_axis(x, xp.asarray([0]), 1, 0),
    "put": lambda xp, x, a: xp.put(x, [0], 1),
    "place": lambda xp, x, a: xp.place(x, [True] * 3, a[0]),
    "putmask": lambda xp, x, a: xp.putmask(x, [True] * 3, a[0]),
    "fill_diagonal": lambda xp, x, a: xp.fill_diagonal(x.reshape(3, 1), 1),
    "copyto": lambda xp, x, a: xp.copyto(x, a[0]),
    "copyto, where": lambda xp, x, a: xp.copyto(x, a[0], where=a[0] > 0),
    "out of a unary ufunc": lambda xp, x, a: xp.sqrt(a[0], out=x),
    "out of a binary ufunc": lambda xp, x, a: xp.add(a[0], a[1], out=x),
    "out with a number": lambda xp, x, a: xp.add(a[0], 1, out=x),
    "out, where": lambda xp, x, a: xp.add(a[0], 1, out=x, where=a[0] > 0),
    "out, positional": lambda xp, x, a: xp.add(a[0], a[1], x),
    "second of two outs": lambda xp, x, a: xp.modf(a[0], out=(xp.zeros(3), x)),
    "reduce": lambda xp, x, a: xp.add.reduce(a, out=x),
    "accumulate": lambda xp, x, a: xp.add.accumulate(a[0], out=x),
    "ordered reduce": lambda xp, x, a: xp.subtract.reduce(a, out=x),
    "reduceat": lambda xp, x, a: xp.add.reduceat(a[0], [0, 1, 2], out=x),
}


@pytest.mark.parametrize("name", WRITERS)
def test_writers(name):
    raises_alike(
        lambda: WRITERS[name](np, locked(np.array([3.0, 1.0, 2.0])), A),
        lambda: WRITERS[name](cp, locked(cp.array([3.0, 1.0, 2.0])), cp.asarray(A)),
    )
    x, a = cp.array([3.0, 1.0, 2.0]), cp.asarray(A)
    WRITERS[name](cp, x[:], a)  # a plan for the writable array of these lengths
    x[...] = cp.array([3.0, 1.0, 2.0])
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        WRITERS[name](cp, x, a)
    assert x.tolist() == [3, 1, 2]


#: Calls of all functions with ``out``, whose result fits ``out``.
OUT = {
    "all": lambda a, out: cp.all(a, 0, out), "any": lambda a, out: cp.any(a, 0, out),
    "amax": lambda a, out: cp.amax(a, 0, out), "amin": lambda a, out: cp.amin(a, 0, out),
    "argmax": lambda a, out: cp.argmax(a, 0, out), "argmin": lambda a, out: cp.argmin(a, 0, out),
    "choose": lambda a, out: cp.choose([0, 1, 0], [a[0], a[1]], out),
    "clip": lambda a, out: cp.clip(a[0], 1, 2, out),
    "compress": lambda a, out: cp.compress([True] * 3, a[0], out=out),
    "concatenate": lambda a, out: cp.concatenate([a[0]], out=out),
    "cumprod": lambda a, out: cp.cumprod(a[0], out=out),
    "cumsum": lambda a, out: cp.cumsum(a[0], out=out),
    "cumulative_prod": lambda a, out: cp.cumulative_prod(a[0, :2], include_initial=True, out=out),
    "cumulative_sum": lambda a, out: cp.cumulative_sum(a[0, :2], include_initial=True, out=out),
    "dot": lambda a, out: cp.dot(a, a[0], out), "matmul": lambda a, out: cp.matmul(a, a[0], out),
    "einsum": lambda a, out: cp.einsum("ij,j", a, a[0], out=out),
    "fix": lambda a, out: cp.fix(a[0], out),
    "isneginf": lambda a, out: cp.isneginf(-1 / (a[0] * 0), out),
    "isposinf": lambda a, out: cp.isposinf(1 / (a[0] * 0), out),
    "max": lambda a, out: cp.max(a, 0, out), "mean": lambda a, out: cp.mean(a, 0, out=out),
    "median": lambda a, out: cp.median(a, 0, out), "min": lambda a, out: cp.min(a, 0, out),
    "nanargmax": lambda a, out: cp.nanargmax(a, 0, out),
    "nanargmin": lambda a, out: cp.nanargmin(a, 0, out),
    "nancumprod": lambda a, out: cp.nancumprod(a[0], out=out),
    "nancumsum": lambda a, out: cp.nancumsum(a[0], out=out),
    "nanmax": lambda a, out: cp.nanmax(a, 0, out), "nanmin": lambda a, out: cp.nanmin(a, 0, out),
    "nanmean": lambda a, out: cp.nanmean(a, 0, out=out),
    "nanmedian": lambda a, out: cp.nanmedian(a, 0, out),
    "nanpercentile": lambda a, out: cp.nanpercentile(a, 50, 0, out),
    "nanprod": lambda a, out: cp.nanprod(a, 0, out=out),
    "nanquantile": lambda a, out: cp.nanquantile(a, 0.5, 0, out),
    "nanstd": lambda a, out: cp.nanstd(a, 0, out=out),
    "nansum": lambda a, out: cp.nansum(a, 0, out=out),
    "nanvar": lambda a, out: cp.nanvar(a, 0, out=out),
    "outer": lambda a, out: cp.outer(a[0], a[0], out),
    "percentile": lambda a, out: cp.percentile(a, 50, 0, out),
    "prod": lambda a, out: cp.prod(a, 0, out=out), "ptp": lambda a, out: cp.ptp(a, 0, out),
    "quantile": lambda a, out: cp.quantile(a, 0.5, 0, out),
    "round": lambda a, out: cp.round(a[0], 1, out), "around": lambda a, out: cp.around(a[0], 1, out),
    "stack": lambda a, out: cp.stack([a[0], a[1], a[2]], out=out),
    "std": lambda a, out: cp.std(a, 0, out=out), "sum": lambda a, out: cp.sum(a, 0, out=out),
    "trace": lambda a, out: cp.trace(a[:, None, :], out=out),
    "take": lambda a, out: cp.take(a[0], [0, 1, 2], out=out),
    "var": lambda a, out: cp.var(a, 0, out=out),
}  # fmt: skip


def test_every_function_with_out_is_in_the_table():
    covered = {getattr(cp, name) for name in [*OUT, "asnumpy"]}  # asnumpy's is in host memory
    missing = [
        name
        for name in cp.__all__
        if inspect.isfunction(function := getattr(cp, name)) and function not in covered
        if "out" in inspect.signature(function).parameters
    ]
    assert missing == []


@pytest.mark.parametrize("name", OUT)
def test_out(name):
    dtype = {"all": "?", "any": "?"}.get(name, "i8" if "arg" in name else "f8")
    out = locked(cp.zeros((3, 3) if name in ("stack", "outer") else 3, dtype))
    with pytest.raises(ValueError, match="read-only"):
        OUT[name](cp.asarray(A), out)
    assert not out.any()
    out.flags.writeable = True
    OUT[name](cp.asarray(A), out)


def test_set():
    x = locked(cp.zeros(3))
    with pytest.raises(ValueError, match="set: .*read-only"):
        x.set(np.ones(3))
    assert x.tolist() == [0, 0, 0]


def test_kernels_of_the_users_own():
    x, out = cp.arange(3.0), locked(cp.zeros(3))
    double = cp.ElementwiseKernel("T x", "T y", "y = x + x", "double_it")
    raw = cp.ElementwiseKernel("T x", "raw T y", "y[i] = x + x", "double_raw")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    for kernel in (double, raw):
        kernel(x, cp.zeros(3))
        with pytest.raises(ValueError, match="read-only"):
            kernel(x, out)
        assert kernel(out, cp.ones(3)).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        total(x, out[0])
    assert out.tolist() == [0, 0, 0]


def test_fused_functions_and_kernels_in_python():
    @cp.fuse
    def in_place(x, y):
        x += y

    @cp.fuse
    def stored(x, y):
        y[...] = x * 2

    @jit.rawkernel()
    def first(x):
        x[0] = 7.0

    x = locked(cp.zeros(3))
    for write in (
        lambda x: in_place(x, cp.ones(3)),
        lambda x: stored(cp.ones(3), x),
        lambda x: first[1, 1](x),
    ):
        write(cp.zeros(3))
        for _ in range(2):
            with pytest.raises(ValueError, match="read-only"):
                write(x)
    assert x.tolist() == [0, 0, 0]


def test_messages_name_the_operation():
    x = cp.broadcast_to(cp.zeros(3), (2, 3))
    for name, write in {
        "add": lambda: x.__iadd__(1),
        "fill": lambda: x.fill(1),
        "sort": lambda: x.sort(),
        "take": lambda: cp.take(cp.zeros(3), cp.zeros((2, 3), "i8"), out=x),
    }.items():
        with pytest.raises(ValueError, match="read-only") as caught:
            write()
        assert str(caught.value).startswith(f"{name}:")


def test_plans_of_writable_arrays_are_not_those_of_read_only_ones():
    """Both are found by the layouts, whose shapes and strides are equal."""
    x, y = cp.arange(3), locked(cp.arange(3))
    assert x._layout is not y._layout
    assert x._layout is cp.arange(3)._layout
    assert device_copy(np.arange(3))._layout is x._layout
    for _ in range(2):
        x += y
        with pytest.raises(ValueError, match="read-only"):
            y += x
    assert x.tolist() == [0, 3, 6]
