"""Texture objects in kernels: filtering, address modes, formats, memory of every kind."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.cuda import runtime, texture
from gpuarray.cuda.runtime import CUDARuntimeError
from tests.compiler.texturing import (
    BORDER,
    CLAMP,
    FRACTION,
    LINEAR,
    MIRROR,
    POINT,
    WRAP,
    channels,
    cuda_array,
    fetch,
    module,
    reference,
    texture_of,
)

SIZES = {1: (8,), 2: (4, 8), 3: (4, 2, 8)}


def places(rng, dimensions, normalized):
    """Coordinates within the elements and up to 2 sizes beyond, every tenth at an edge."""
    found = []
    for size in SIZES[dimensions][::-1]:
        at = rng.uniform(-2 * size, 3 * size, 200)
        at[::10] = np.round(at[::10] * 2) / 2
        found.append(at / (size if normalized else 1))
    return np.array(found, "f")


# -- filtering and address modes -----------------------------------------------------------------


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("mode", [WRAP, CLAMP, MIRROR, BORDER])
@pytest.mark.parametrize("filter_mode", [POINT, LINEAR])
def test_normalized_coordinates(dimensions, mode, filter_mode, rng):
    elements = rng.integers(0, 128, SIZES[dimensions]).astype("f")
    tex = texture_of(
        cuda_array(elements),
        addressModes=(mode,) * 3,
        filterMode=filter_mode,
        normalizedCoords=1,
        borderColors=(100.0,),
    )
    at = places(rng, dimensions, True)
    wanted = reference(elements, at, (mode,) * dimensions, filter_mode == LINEAR, True, 100.0)
    np.testing.assert_array_equal(fetch(tex, at), wanted)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("mode", [WRAP, CLAMP, MIRROR, BORDER])
@pytest.mark.parametrize("filter_mode", [POINT, LINEAR])
def test_coordinates_in_elements(dimensions, mode, filter_mode, rng):
    elements = rng.integers(0, 128, SIZES[dimensions]).astype("f")
    tex = texture_of(cuda_array(elements), addressModes=(mode,) * 3, filterMode=filter_mode)
    at = places(rng, dimensions, False)
    # Without normalized coordinates there is no wrapping around.
    modes = (CLAMP if mode in (WRAP, MIRROR) else mode,) * dimensions
    wanted = reference(elements, at, modes, filter_mode == LINEAR, False)
    np.testing.assert_array_equal(fetch(tex, at), wanted)


def test_a_mode_for_each_dimension(rng):
    elements = rng.integers(0, 128, SIZES[3]).astype("f")
    modes = (WRAP, BORDER, MIRROR)
    tex = texture_of(
        cuda_array(elements), addressModes=modes, filterMode=LINEAR, normalizedCoords=1
    )
    at = places(rng, 3, True)
    np.testing.assert_array_equal(fetch(tex, at), reference(elements, at, modes, True, True))


def test_the_middle_of_an_element_is_that_element():
    elements = np.array([3, 1, 4, 1, 5, 9, 2, 6], "f")
    tex = texture_of(cuda_array(elements), addressModes=(CLAMP,), filterMode=LINEAR)
    assert fetch(tex, [np.arange(8) + 0.5]).tolist() == elements.tolist()
    assert fetch(tex, [np.arange(1, 8)]).tolist() == [2, 2.5, 2.5, 3, 7, 5.5, 4]


def test_weights_are_rounded_to_eight_bits():
    tex = texture_of(cuda_array(np.array([0, 256], "f")), addressModes=(CLAMP,), filterMode=LINEAR)
    fractions = np.array([0, 1 / 1024, 3 / 1024, 5 / 1024, 1 - 3 / 1024, 1 - 1 / 1024])
    assert fetch(tex, [fractions + 0.5]).tolist() == [0, 0, 1, 1, 255, 256]
    assert fetch(tex, [np.array([1, 3, 5, 511]) / 512 + 0.5]).tolist() == [1, 2, 3, 256]


def test_normalized_coordinates_have_21_bits():
    tex = texture_of(cuda_array(np.arange(7, dtype="f")), addressModes=(WRAP,), normalizedCoords=1)
    sevenths = np.arange(-7, 8).astype("f") / np.float32(7)
    assert (sevenths[8:14:5] > np.array([1, 6]) / 7).all()  # and read less nevertheless
    wanted = np.floor(np.floor(sevenths * 2.0**21) / 2**21 * 7) % 7
    assert fetch(tex, [sevenths]).tolist() == wanted.tolist()
    assert wanted[8] == 0
    assert fetch(tex, [[-1e-7, 0.0, 1 - 2.0**-24]]).tolist() == [6, 0, 6]


def test_coordinates_that_are_no_numbers():
    tex = texture_of(cuda_array(np.array([1, 2, 3, 4], "f")), addressModes=(CLAMP,))
    found = fetch(tex, [[np.nan, np.inf, -np.inf, 1e30, -1e30]])
    assert found.tolist() == [1, 4, 1, 4, 1]
    tex = texture_of(cuda_array(np.array([1, 2, 3, 4], "f")), addressModes=(BORDER,))
    assert fetch(tex, [[-1e-40, -(2.0**-20)]]).tolist() == [1, 0]  # what is not normal is 0


def test_what_weighs_nothing_is_not_looked_at():
    elements = np.array([[1, np.inf, 2, np.nan], [-np.inf, np.nan, 3, 4]], "f")
    how = {"addressModes": (CLAMP, CLAMP), "filterMode": LINEAR}
    found = fetch(texture_of(cuda_array(elements), **how), [[0.5, 2.5, 2.5], [0.5, 0.5, 1.0]])
    assert found.tolist() == [1, 2, 2.5]


def test_integers_from_a_divergent_branch():
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void k(cudaTextureObject_t a, cudaTextureObject_t b, float* out) {
            int i = threadIdx.x;
            cudaTextureObject_t t = i % 3 ? a : b;
            out[i] = i % 2 ? tex1D<float>(t, i + 0.5f) : -tex1D<float>(t, i + 0.5f);
        }""",
        "k",
    )
    a, b = np.arange(64, dtype="f"), np.arange(64, dtype="f") + 100
    out = cp.empty(64, "f")
    objects = [texture_of(cuda_array(one), addressModes=(CLAMP,)) for one in (a, b)]
    kernel((1,), (64,), (*objects, out))
    i = np.arange(64)
    assert out.tolist() == (np.where(i % 3, a, b) * np.where(i % 2, 1, -1)).tolist()


# -- what elements are, and how they are read ------------------------------------------------------

READ = r"""
template <class T> __global__ void linear(cudaTextureObject_t t, T* out) {
    out[threadIdx.x] = tex1Dfetch<T>(t, threadIdx.x);
}
template <class T> __global__ void array(cudaTextureObject_t t, T* out, int columns) {
    int x = threadIdx.x % columns, y = threadIdx.x / columns;
    out[threadIdx.x] = tex2D<T>(t, x + 0.5f, y + 0.5f);
}
"""
TYPES = {
    "i1": ("signed char", "char"), "u1": ("unsigned char", "uchar"), "i2": ("short", "short"),
    "u2": ("unsigned short", "ushort"), "i4": ("int", "int"), "u4": ("unsigned int", "uint"),
    "f4": ("float", "float"),
}  # fmt: skip
NAMES = {
    (dtype, count): short + str(count) if count > 1 else name
    for dtype, (name, short) in TYPES.items()
    for count in (1, 2, 4)
}
reading = cp.RawModule(
    code=READ,
    name_expressions=[f"{k}<{name}>" for k in ("linear", "array") for name in NAMES.values()],
)


def any_values(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return rng.normal(size=shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("dtype", TYPES)
def test_elements_of_linear_memory(dtype, count, rng):
    values = any_values(rng, dtype, 20 * count)
    x = cp.asarray(values)
    source = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=x, chDesc=channels(dtype, count), sizeInBytes=x.nbytes
    )
    tex = texture.TextureObject(source, texture.TextureDescriptor())
    out = cp.empty(24 * count, dtype)
    reading.get_function(f"linear<{NAMES[dtype, count]}>")((1,), (24,), (tex, out))
    assert out[: 20 * count].tolist() == values.tolist()
    assert not out[20 * count :].any()  # beyond the end there are zeros


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("dtype", TYPES)
def test_elements_of_arrays(dtype, count, rng):
    values = any_values(rng, dtype, (3, 5 * count))
    tex = texture_of(cuda_array(values, count), addressModes=(CLAMP, CLAMP))
    out = cp.empty((3, 5 * count), dtype)
    name = f"array<{NAMES[dtype, count]}>"
    reading.get_function(name)((1,), (15,), (tex, out, np.int32(5)))
    assert out.tolist() == values.tolist()


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_integers_as_fractions(dtype, count, rng):
    values = any_values(rng, dtype, (3, 5 * count))
    values.flat[:2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    tex = texture_of(cuda_array(values, count), addressModes=(CLAMP, CLAMP), readMode=FRACTION)
    out = cp.empty((3, 5 * count), "f")
    name = f"array<{NAMES['f4', count]}>"
    reading.get_function(name)((1,), (15,), (tex, out, np.int32(5)))
    wanted = np.maximum(values / np.iinfo(dtype).max, -1)
    np.testing.assert_allclose(out.get(), wanted, rtol=2**-22, atol=0)
    assert out.get().flat[:2].tolist() == [-1 if dtype[0] == "i" else 0, 1]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_fractions_are_filtered(dtype, rng):
    """The sums are rounded to 16 bits."""
    values = any_values(rng, dtype, 8)
    values[:2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    tex = texture_of(
        cuda_array(values), addressModes=(CLAMP,), filterMode=LINEAR, readMode=FRACTION
    )
    at = places(rng, 1, False)
    most, steps = np.iinfo(dtype).max, 65535 if dtype[0] == "u" else 32767
    sums = reference(values.astype("f"), at, (CLAMP,), True, False)
    wanted = np.maximum(np.floor(sums * (steps / most) + 0.5) / steps, -1)
    # Signed numbers of 8 bits are rounded before they are added as well, in a way of their own.
    off = 1.01 / steps if dtype == "i1" else 2.0**-24
    np.testing.assert_allclose(fetch(tex, at), wanted, rtol=0, atol=off)


def test_half_precision(rng):
    values = rng.normal(size=8).astype("f2")
    tex = texture_of(cuda_array(values), addressModes=(CLAMP,))
    assert fetch(tex, [np.arange(8) + 0.5]).tolist() == values.astype("f").tolist()
    positive = np.abs(values)
    tex = texture_of(cuda_array(positive), addressModes=(CLAMP,), filterMode=LINEAR)
    found = fetch(tex, at := places(rng, 1, False))
    assert (found == found.astype("f2")).all()  # a filtered value has half precision, too
    wanted = reference(positive.astype("f"), at, (CLAMP,), True, False)
    np.testing.assert_allclose(found, wanted, rtol=2**-11)


def test_srgb():
    values = np.arange(256, dtype="u1")
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void k(cudaTextureObject_t t, float4* out) {
            out[threadIdx.x] = tex1D<float4>(t, threadIdx.x + 0.5f);
        }""",
        "k",
    )
    array = cuda_array(np.repeat(values, 4), 4)
    tex = texture_of(array, addressModes=(CLAMP,), readMode=FRACTION, sRGB=1)
    out = cp.empty((256, 4), "f")
    kernel((1,), (256,), (tex, out))
    x, found = values / 255, out.get()
    # Direct3D's rule, to which the hardware is made: converted back, a value is off by at most half
    # of the step between two values of 8 bits.
    linear = found[:, :3].astype(np.float64)
    back = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    np.testing.assert_allclose(back, np.repeat(x[:, None], 3, 1), rtol=0, atol=0.5 / 255)
    assert found[[0, 255], :3].tolist() == [[0] * 3, [1] * 3]
    np.testing.assert_allclose(found[:, 3], x, rtol=1e-6)


def test_the_border_of_integers_has_the_bits_of_its_color():
    values = np.arange(8, dtype="i4").reshape(2, 4)
    color = np.array([-7], "i4").view("f")[0]
    tex = texture_of(
        cuda_array(values), addressModes=(BORDER, BORDER), borderColors=(color, 0, 0, 0)
    )
    out = cp.empty(18, "i4")
    reading.get_function("array<int>")((1,), (18,), (tex, out, np.int32(6)))
    wanted = np.pad(values, ((0, 1), (0, 2)), constant_values=-7)
    assert out.tolist() == wanted.ravel().tolist()


# -- kinds of memory -------------------------------------------------------------------------------


@pytest.mark.parametrize("filter_mode", [POINT, LINEAR])
def test_pitched_memory(filter_mode, rng):
    elements = rng.integers(0, 128, (5, 32)).astype("f")
    x = cp.asarray(elements)
    source = texture.ResourceDescriptor(
        runtime.cudaResourceTypePitch2D,
        arr=x,
        chDesc=channels("f"),
        width=30,
        height=5,
        pitchInBytes=x.strides[0],
    )
    how = texture.TextureDescriptor((CLAMP, CLAMP), filter_mode)
    tex = texture.TextureObject(source, how)
    at = np.array([rng.uniform(-1, 60, 200), rng.uniform(-1, 12, 200)], "f")
    wanted = reference(elements[:, :30], at, (CLAMP, CLAMP), filter_mode == LINEAR, False)
    np.testing.assert_array_equal(fetch(tex, at), wanted)


def test_layers(rng):
    kernel = cp.RawModule(
        code=r"""
        extern "C" __global__ void one(cudaTextureObject_t t, float* out) {
            out[threadIdx.x] = tex1DLayered<float>(t, 1.5f, threadIdx.x);
        }
        extern "C" __global__ void two(cudaTextureObject_t t, float* out) {
            out[threadIdx.x] = tex2DLayered<float>(t, 2.0f, 1.5f, (int)threadIdx.x);
        }"""
    )
    layered = runtime.cudaArrayLayered
    rows = rng.integers(0, 100, (3, 4)).astype("f")
    bordered = {"addressModes": (BORDER, BORDER), "filterMode": LINEAR}  # in x alone
    for how in ({"addressModes": (CLAMP,)}, bordered):
        tex = texture_of(cuda_array(rows, flags=layered), **how)
        out = cp.empty(7, "f")
        kernel.get_function("one")((1,), (7,), (tex, out))
        assert out.tolist() == rows[np.minimum(np.arange(7), 2), 1].tolist()
    images = rng.integers(0, 100, (3, 2, 4)).astype("f")
    tex = texture_of(
        cuda_array(images, flags=layered), addressModes=(CLAMP, CLAMP), filterMode=LINEAR
    )
    out = cp.empty(3, "f")
    kernel.get_function("two")((1,), (3,), (tex, out))
    assert out.tolist() == images[:, 1, 1:3].mean(axis=1).tolist()


def test_gather(rng):
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void k(cudaTextureObject_t t, float4* out) {
            out[0] = tex2Dgather<float4>(t, 2.0f, 1.0f, 0);
            out[1] = tex2Dgather<float4>(t, 2.0f, 1.0f, 1);
            out[2] = tex2Dgather<float4>(t, 1.5f - 1.0f / 1024, 1.0f, 0);  // rounded to 1/256
        }""",
        "k",
    )
    values = rng.normal(size=(2, 8)).astype("f")
    array = cuda_array(values, 2, flags=runtime.cudaArrayTextureGather)
    out = cp.empty((3, 4), "f")
    kernel((1,), (1,), (texture_of(array, addressModes=(CLAMP, CLAMP)), out))
    pairs = values.reshape(2, 4, 2)
    for component in range(2):
        c = pairs[..., component]
        assert out[component].tolist() == [c[1, 1], c[1, 2], c[0, 2], c[0, 1]]
    assert out[2].tolist() == out[0].tolist()


def test_a_level_of_detail_has_no_influence_without_mipmaps(rng):
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void k(cudaTextureObject_t t, float* out) {
            out[0] = tex2DLod<float>(t, 0.3f, 0.6f, 3.0f);
            out[1] = tex2D<float>(t, 0.3f, 0.6f);
        }""",
        "k",
    )
    tex = texture_of(
        cuda_array(rng.normal(size=(4, 4)).astype("f")),
        addressModes=(CLAMP, CLAMP),
        filterMode=LINEAR,
        normalizedCoords=1,
    )
    out = cp.empty(2, "f")
    kernel((1,), (1,), (tex, out))
    assert out[0] == out[1]


# -- objects ---------------------------------------------------------------------------------------


def test_descriptors_show_what_they_are_made_of():
    x = cp.zeros((4, 64), "f4")
    floats = channels("f4", 2)
    linear = texture.ResourceDescriptor(2, arr=x, chDesc=floats, sizeInBytes=1024)
    found = {"x": 32, "y": 32, "z": 0, "w": 0, "f": 2}
    assert floats.get_channel_format() == found
    assert linear.get_resource_desc() == {
        "resType": 2,
        "linear": {"devPtr": x.data.ptr, "desc": found, "sizeInBytes": 1024},
    }
    pitched = texture.ResourceDescriptor(3, None, x, floats, 0, 32, 4, 256)
    assert pitched.get_resource_desc() == {
        "resType": 3,
        "pitch2D": {
            "devPtr": x.data.ptr, "desc": found, "width": 32, "height": 4, "pitchInBytes": 256,
        },
    }  # fmt: skip
    assert pitched.arr is x
    assert pitched.chDesc is floats
    assert pitched.cuArr is None
    array = texture.CUDAarray(floats, 3, 4)
    of_array = texture.ResourceDescriptor(0, array)
    assert of_array.get_resource_desc() == {"resType": 0, "array": {"array": array.ptr}}
    how = texture.TextureDescriptor((1, 3), 1, 0, 1, (0.5, 2), 1, 4)
    assert how.get_texture_desc() == {
        "addressMode": (1, 3, 0), "filterMode": 1, "readMode": 0, "sRGB": 1,
        "borderColor": (0.5, 2.0, 0.0, 0.0), "normalizedCoords": 1, "maxAnisotropy": 4,
    }  # fmt: skip
    assert all(one.ptr for one in (floats, linear, pitched, of_array, how))


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda x: texture.ResourceDescriptor(1), NotImplementedError, "mipmapped"),
        (lambda x: texture.ResourceDescriptor(7), ValueError, "no restype 7"),
        (lambda x: texture.ResourceDescriptor(0), ValueError, "needs a CUDAarray"),
        (lambda x: texture.ResourceDescriptor(2, arr=x), ValueError, "needs an array"),
        (
            lambda x: texture.ResourceDescriptor(
                2, arr=x, chDesc=channels("f"), sizeInBytes=1 << 30
            ),
            ValueError,
            "1073741824 bytes are described",
        ),
        (lambda x: texture.TextureDescriptor((0,) * 4), ValueError, "more than 3"),
        (lambda x: texture.TextureDescriptor(borderColors=(0,) * 5), ValueError, "more than 4"),
        (lambda x: texture.TextureObject(None, None), TypeError, "TexDesc is a TextureDescriptor"),
        (
            lambda x: texture.TextureObject(None, texture.TextureDescriptor()),
            TypeError,
            "ResDesc is a ResourceDescriptor",
        ),
    ],
)
def test_descriptors_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make(cp.zeros(8, "f"))


@pytest.mark.parametrize(
    "dtype, how, text",
    [
        ("i4", {"filterMode": LINEAR}, "cudaErrorInvalidFilterSetting"),
        ("u1", {"filterMode": LINEAR}, "cudaErrorInvalidFilterSetting"),
        ("u4", {"readMode": FRACTION}, "cudaErrorInvalidNormSetting"),
    ],
)
def test_textures_that_cannot_be(dtype, how, text):
    with pytest.raises(CUDARuntimeError, match=text):
        texture_of(cuda_array(np.zeros(4, dtype)), **how)


def test_a_texture_needs_aligned_memory():
    x = cp.zeros(64, "f")
    source = texture.ResourceDescriptor(2, arr=x[1:], chDesc=channels("f"), sizeInBytes=128)
    with pytest.raises(CUDARuntimeError, match="is no multiple of 512, the device's texture_al"):
        texture.TextureObject(source, texture.TextureDescriptor())
    source = texture.ResourceDescriptor(3, None, x, channels("f"), 0, 5, 5, 20)
    with pytest.raises(CUDARuntimeError, match="20 is no multiple of 32, the device's texture_pi"):
        texture.TextureObject(source, texture.TextureDescriptor((CLAMP, CLAMP)))


def test_a_texture_keeps_its_array(rng):
    elements = rng.integers(0, 128, 8).astype("f")
    tex = texture_of(cuda_array(elements), addressModes=(CLAMP,))
    x = cp.asarray(elements)
    source = texture.ResourceDescriptor(2, arr=x, chDesc=channels("f"), sizeInBytes=x.nbytes)
    linear = texture.TextureObject(source, texture.TextureDescriptor())
    del x, source
    gc.collect()
    junk = [cp.full(8, -1, "f") for _ in range(8)]
    assert fetch(tex, [np.arange(8) + 0.5]).tolist() == elements.tolist()
    out = cp.empty(8, "f")
    reading.get_function("linear<float>")((1,), (8,), (linear, out))
    assert out.tolist() == elements.tolist()
    del junk


def test_memory_of_arrays_comes_back():
    device = cp.cuda.Device()

    def lost():
        """Bytes that three arrays of 16 MiB took for good."""
        used = []
        for _ in range(3):
            array = texture.CUDAarray(channels("f", 4), 1024, 1024)
            tex = texture_of(array, addressModes=(CLAMP, CLAMP))
            out = cp.empty((1, 16), "f")
            with cp.cuda.Stream(non_blocking=True) as stream:
                name = f"array<{NAMES['f4', 4]}>"
                reading.get_function(name)((1,), (4,), (tex, out, np.int32(4)))
            del array, tex
            stream.synchronize()
            gc.collect()
            texture_of(cuda_array(np.zeros(4, "f")))  # what waits is destroyed at the next one
            used.append(device.mem_info[0])
        return used[0] - used[2]

    # Other processes may take memory of a GPU meanwhile, but not each time.
    assert any(lost() < 8 << 20 for _ in range(5))


def test_objects_of_a_graph_live_as_long(rng):
    elements = rng.integers(0, 128, 8).astype("f")
    tex = texture_of(cuda_array(elements), addressModes=(CLAMP,))
    at = cp.asarray(np.arange(8) + 0.5, dtype="f")
    out = cp.zeros(8, "f")
    fetch(tex, [np.arange(8) + 0.5])  # the kernel is compiled and loaded
    stream = cp.cuda.Stream(non_blocking=True)
    kernel = module.get_function("fetch1")
    with stream:
        stream.begin_capture()
        kernel((1,), (64,), (tex, at, out, np.int32(8)))
        graph = stream.end_capture()
    del tex
    gc.collect()
    texture_of(cuda_array(np.zeros(4, "f")))
    graph.launch(stream)
    stream.synchronize()
    assert out.tolist() == elements.tolist()


def test_captured_copies_of_arrays(rng):
    first, second = rng.integers(0, 128, (2, 3, 8)).astype("f")
    array = cuda_array(np.zeros((3, 8), "f"))
    memory = cp.cuda.alloc_pinned_memory(first.nbytes)
    pinned = np.frombuffer(memory, "f", first.size).reshape(first.shape)
    pinned[...] = first
    out = cp.zeros((3, 8), "f")
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        array.copy_from(pinned)
        array.copy_to(out)
        array.copy_from(second)  # of memory that is not pinned the graph has a copy
        array.copy_to(pinned, stream)
        graph = stream.end_capture()
    for launch in range(2):
        graph.launch(stream)
        stream.synchronize()
        assert out.tolist() == (second if launch else first).tolist()
        assert pinned.tolist() == second.tolist()


def test_arguments_of_kernels():
    code = r"""
    extern "C" __global__ void k(cudaTextureObject_t t, float* out) { out[0] = 1; }
    extern "C" __global__ void s(cudaSurfaceObject_t t, float* out) { out[0] = 2; }
    """
    kernel, other = cp.RawKernel(code, "k"), cp.RawKernel(code, "s")
    tex = texture_of(cuda_array(np.zeros(4, "f")))
    out = cp.zeros(1, "f")
    for handle in (tex, tex.ptr, np.uint64(tex.ptr)):
        out[...] = 0
        kernel((1,), (1,), (handle, out))
        assert out.item() == 1
    with pytest.raises(TypeError, match="argument 0 .ndarray. is given for cudaTextureObject_t"):
        kernel((1,), (1,), (out, out))
    with pytest.raises(TypeError, match="argument 1 .TextureObject. is given for float"):
        kernel((1,), (1,), (tex, tex))
    with pytest.raises(TypeError, match="pass a SurfaceObject"):
        other((1,), (1,), (tex, out))
    checked = cp.RawKernel(code, "k", check_arguments=True)
    checked((1,), (1,), (tex, out))


def test_elementwise_kernels_take_textures(rng):
    elements = rng.integers(0, 128, 8).astype("f")
    tex = texture_of(cuda_array(elements), addressModes=(CLAMP,))
    kernel = cp.ElementwiseKernel(
        "U texObj, float32 x", "float32 y", "y = tex1D<float>(texObj, x + 0.5f)", "look_up"
    )
    for _ in range(2):
        assert kernel(tex, cp.arange(8, dtype="f")).tolist() == elements.tolist()
