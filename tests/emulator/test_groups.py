"""Groups of lanes: how registers are selected at a branch and merged where its sides meet."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

LANES = 8192


class _State:
    """What a lane set asks of its chunk."""

    T = 256
    n = 2 * LANES
    full = None

    def lane_range(self, start: int, n: int):
        from gpuarray._ffi.emulator.simt.lanes import RANGE, LaneSet

        return LaneSet(self, RANGE, n, start)


@pytest.fixture
def lanes():
    from gpuarray._ffi.emulator.simt.lanes import RANGE, LaneSet

    return LaneSet(_State(), RANGE, LANES, 0)


def _mask(kind: str) -> np.ndarray:
    if kind == "random":
        return np.random.default_rng(0).random(LANES) < 0.5
    if kind == "alternating":
        return np.arange(LANES) % 2 == 0
    if kind == "runs":
        return np.arange(LANES) // 512 % 2 == 0
    return np.arange(LANES) < 1000


KINDS = ("random", "alternating", "runs", "prefix")


@pytest.mark.parametrize(
    ("mask", "incoherent"), [("random", True), ("alternating", True), ("runs", False)]
)
def test_incoherent_masks_select_by_positions(lanes, mask, incoherent):
    mask = _mask(mask)
    for part, chosen in zip(lanes.split(mask)[::2], (mask, ~mask), strict=True):
        selection = part.positions_in(lanes)
        assert (selection.dtype != bool) is incoherent
        assert np.array_equal(part.ids, np.flatnonzero(chosen))
        assert (part.b_low, part.b_high) == (part.ids[0] // 256, part.ids[-1] // 256)


@pytest.mark.parametrize("n", [1, 2, 300, 4096, 4097, 70000])
def test_coherence_is_judged_for_masks_of_any_length(n):
    from gpuarray._ffi.emulator.simt.lanes import _is_incoherent

    assert not _is_incoherent(np.zeros(n, bool))
    assert _is_incoherent(np.arange(n) % 2 == 0) is (n > 1)


def _groups(lanes, mask, registers):
    from gpuarray._ffi.emulator.simt.groups import unselected

    taken, select, other, select_other = lanes.split(mask)
    return (taken, unselected(select, registers)), (other, unselected(select_other, registers))


@pytest.mark.parametrize("kind", KINDS)
def test_registers_that_a_branch_leaves_alone_are_not_copied(lanes, kind):
    from gpuarray._ffi.emulator.simt.groups import merge, selected

    mask = _mask(kind)
    x, y = np.arange(LANES), np.arange(LANES, dtype=np.float32)
    (taken, registers), waiting = _groups(lanes, mask, (x, y, np.int32(3)))
    own_x, own_y, scalar = selected(taken, registers)
    assert np.array_equal(own_x, x[mask])
    for groups in ([(taken, (own_x, own_y + 1, scalar)), waiting],
                   [waiting, (taken, (own_x, own_y + 1, scalar))]):  # fmt: skip
        union, (joined_x, joined_y, joined_scalar) = merge(groups)
        assert union is lanes
        assert joined_x is x
        assert np.array_equal(joined_y, np.where(mask, y + 1, y))
        assert joined_y.dtype == np.float32
        assert joined_scalar is scalar
    assert np.array_equal(y, np.arange(LANES)), "a register is never written to"


@pytest.mark.parametrize("kind", KINDS)
def test_both_sides_of_a_branch_may_change_registers(lanes, kind):
    from gpuarray._ffi.emulator.simt.affine import Affine
    from gpuarray._ffi.emulator.simt.groups import merge, selected

    mask = _mask(kind)
    x = np.arange(LANES, dtype=np.int64)
    (taken, first), (other, second) = _groups(lanes, mask, (x, x, x, x))
    a, b = selected(taken, first), selected(other, second)
    index = Affine(5, 1, 256, np.int64)
    _, values = merge(
        [(taken, (a[0] + 1, np.int64(7), a[2], index)), (other, (b[0] - 1, b[1], index, b[3]))]
    )
    assert np.array_equal(values[0], np.where(mask, x + 1, x - 1))
    assert np.array_equal(values[1], np.where(mask, 7, x))
    assert np.array_equal(values[2], np.where(mask, x, x + 5))
    assert np.array_equal(values[3], np.where(mask, x + 5, x))


@pytest.mark.parametrize("kind", KINDS)
def test_nested_branches_join_pair_by_pair(lanes, kind):
    from gpuarray._ffi.emulator.simt.groups import merge, selected

    mask = _mask(kind)
    x, y = np.arange(LANES), np.arange(LANES) * 2
    (taken, registers), waiting = _groups(lanes, mask, (x, y))
    own = selected(taken, registers)
    inner_mask = own[0] % 3 == 0
    (inner, registers), inner_waiting = _groups(taken, inner_mask, own)
    own = selected(inner, registers)
    union, (joined_x, joined_y) = merge([waiting, inner_waiting, (inner, (own[0], own[1] * 5))])
    assert union is lanes
    assert joined_x is x
    assert np.array_equal(joined_y, np.where(mask & (x % 3 == 0), y * 5, y))


def test_a_group_that_runs_alone_has_its_own_registers(build):
    """Sides that never meet, at any coherence of the mask."""
    module = build("""
extern "C" __global__ void k(const int* a, int* o, int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = a[i] * 3;
  if (i >= n) return;
  if (a[i] & 1) { o[i] = s; return; }
  for (int j = 0; j < a[i] % 5; j++) { s += j; if (s % 7 == 0) { p[i] = s; return; } }
  o[i] = -s;
}""")
    for a in (np.random.default_rng(1).integers(0, 100, 9000), np.arange(9000) // 100):
        a = a.astype("i4")
        o, p = np.zeros((2, 9000), "i4")
        module.run("k", 36, 250, a, o, p, 8900)
        expected_o, expected_p = np.zeros((2, 9000), "i4")
        for i, v in enumerate(a[:8900].tolist()):
            s = v * 3
            if v & 1:
                expected_o[i] = s
                continue
            for j in range(v % 5):
                s += j
                if s % 7 == 0:
                    expected_p[i] = s
                    break
            else:
                expected_o[i] = -s
        assert np.array_equal(o, expected_o)
        assert np.array_equal(p, expected_p)
