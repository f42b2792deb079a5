"""Shuffles, votes, matches and reductions, with whole and partial member masks."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator


def expected_shuffle(mode, values, lane, clamp):
    """The manual's rules, one lane at a time."""
    bound, segment = clamp & 31, clamp >> 8 & 31
    out, valid = [], []
    for k in range(32):
        highest = (k & segment) | (bound & ~segment)
        lowest = k & segment
        b = int(lane[k]) & 31
        source = {"up": k - b, "down": k + b, "bfly": k ^ b, "idx": lowest | (b & ~segment)}[mode]
        good = source >= highest if mode == "up" else source <= highest
        out.append(values[source if good else k])
        valid.append(good)
    return out, valid


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("width", [32, 16, 8, 4])
def test_shuffles(evaluate, mode, width):
    values = np.random.default_rng(0).integers(0, 2**32, 64, "u4")
    clamp = (32 - width) << 8 | (0 if mode == "up" else 31)
    lanes = [np.full(64, k, "u4") for k in (0, 1, 2, 3, 5, 8, 16, 31)]
    lanes.append(np.random.default_rng(1).integers(0, 32, 64, "u4"))
    for lane in lanes:
        for same in (True, False) if (lane == lane[0]).all() else (False,):
            operand = str(lane[0]) if same else "%b"
            code = f"shfl.sync.{mode}.b32 %d|%p1, %a, {operand}, {clamp}, -1;"
            result = evaluate(code, "u4", values, lane)
            valid_code = code.replace("%d|", "%t5|") + "selp.u32 %d, 1, 0, %p1;"
            valid = evaluate(valid_code, "u4", values, lane)
            for w in (0, 32):
                out, good = expected_shuffle(
                    mode, values[w : w + 32].tolist(), lane[w : w + 32], clamp
                )
                assert result[w : w + 32].tolist() == out
                assert valid[w : w + 32].tolist() == good
    without = evaluate(f"shfl.sync.{mode}.b32 %d, %a, 3, {clamp}, -1;", "u4", values, lanes[0])
    out, _ = expected_shuffle(mode, values[:32].tolist(), np.full(32, 3), clamp)
    assert without[:32].tolist() == out


def test_votes(evaluate):
    a = (np.random.default_rng(0).random(96) < 0.5).astype("u4")
    a[32:64], a[64:] = 1, 0
    test = "setp.ne.u32 %p1, %a, 0; "
    ballots = [sum(int(x) << k for k, x in enumerate(w)) for w in a.reshape(-1, 32)]
    result = evaluate(test + "vote.sync.ballot.b32 %d, %p1, -1;", "u4", a)
    np.testing.assert_array_equal(result, np.repeat(np.array(ballots, "u4"), 32))
    for mode, expected in (("any", [1, 1, 0]), ("all", [0, 1, 0]), ("uni", [0, 1, 1])):
        code = test + f"vote.sync.{mode}.pred %p2, %p1, -1; selp.u32 %d, 1, 0, %p2;"
        np.testing.assert_array_equal(evaluate(code, "u4", a), np.repeat(expected, 32))
    code = test + "vote.sync.ballot.b32 %d, %p1, 0x0f0f0f0f;"
    expected = np.repeat(np.array(ballots, "u4") & np.uint32(0x0F0F0F0F), 32)
    mask = np.resize((np.arange(32) // 4 % 2 == 0), 96)
    np.testing.assert_array_equal(evaluate(code, "u4", a)[mask], expected[mask])


def test_matches(evaluate):
    a = np.random.default_rng(0).integers(0, 4, 64, "u4")
    result = evaluate("match.any.sync.b32 %d, %a, -1;", "u4", a)
    rows = a.reshape(-1, 32)
    expected = [sum(1 << k for k in range(32) if w[k] == x) for w in rows for x in w]
    assert result.tolist() == expected
    a[32:] = 7
    code = "match.all.sync.b32 %t5|%p1, %a, -1; selp.b32 %t6, 1, 0, %p1; xor.b32 %d, %t5, %t6;"
    assert evaluate(code, "u4", a).tolist() == [0] * 32 + [0xFFFFFFFE] * 32


@pytest.mark.parametrize("operation", ["add", "min", "max"])
@pytest.mark.parametrize("type_", ["s32", "u32"])
def test_reductions_know_their_mask(evaluate, operation, type_):
    code = {"s32": "i4", "u32": "u4"}[type_]
    a = np.random.default_rng(0).integers(-(2**31), 2**31, 64).astype(code)
    function = {"add": np.add, "min": np.minimum, "max": np.maximum}[operation]
    result = evaluate(f"redux.sync.{operation}.{type_} %d, %a, -1;", code, a)
    expected = np.repeat(function.reduce(a.reshape(-1, 32), axis=1, dtype=code), 32)
    np.testing.assert_array_equal(result, expected)
    # Odd and even lanes reduce apart, by masks that differ within the warp.
    masks = np.resize(np.array([0x55555555, 0xAAAAAAAA], "u4"), 64)
    result = evaluate(f"redux.sync.{operation}.{type_} %d, %a, %b;", code, a, masks)
    pairs = function.reduce(a.reshape(-1, 16, 2), axis=1, dtype=code)
    np.testing.assert_array_equal(result.reshape(-1, 16, 2), np.repeat(pairs[:, None], 16, 1))


def test_election(evaluate):
    code = "elect.sync %t5|%p1, 0xfff0; selp.u32 %d, 100, 1, %p1; add.u32 %d, %d, %t5;"
    a = np.zeros(32, "u4")
    result = evaluate(code, "u4", a)
    assert result[4] == 104
    assert result[5] == 5


def test_shuffles_in_part_of_a_warp(build):
    module = build("""
extern "C" __global__ void k(const int* a, int* o, int n) {
  int i = threadIdx.x;
  o[i] = -1;
  if (i < n) {
    unsigned m = __activemask();
    o[i] = __shfl_xor_sync(m, a[i], 1) + 100 * __popc(m);
  }
}
extern "C" __global__ void halves(const int* a, int* o) {
  int i = threadIdx.x, v = a[i];
  if (i & 1) v = __shfl_sync(0xaaaaaaaau, v, 3); else v = -__shfl_sync(0x55555555u, v, 6);
  o[i] = v;
}""")
    a = np.arange(64, dtype="i4")
    out = np.zeros(64, "i4")
    module.run("k", 1, 64, a, out, 40)
    assert out[:32].tolist() == [(k ^ 1) + 3200 for k in range(32)]
    assert out[32:40].tolist() == [(k ^ 1) + 800 for k in range(32, 40)]
    assert (out[40:] == -1).all()
    out = np.zeros(32, "i4")
    module.run("halves", 1, 32, a[:32].copy(), out)
    assert out.tolist() == [3 if k & 1 else -6 for k in range(32)]


def test_lanes_wait_for_their_mask(build):
    """Lanes that arrive at different times meet at a synchronising instruction."""
    module = build("""
extern "C" __global__ void k(int* o) {
  int i = threadIdx.x, total = 0;
  for (int round = 0; round < 4; round++) {
    int v = i;
    for (int j = 0; j < (i * 7 + round) % 5; j++) v = v * 3 + j;
    __syncwarp();
    total += __reduce_add_sync(~0u, v) + __shfl_sync(~0u, v, round);
  }
  o[i] = total;
}
extern "C" __global__ void leavers(int* o) {
  int i = threadIdx.x;
  if (i % 3 == 0) return;
  o[i] = __popc(__ballot_sync(~0u, true));
}
extern "C" __global__ void elsewhere(int* o, const int* early) {
  int i = threadIdx.x, v = i;
  while (true) {
    if (early[i] && v < 100) { v += 100; continue; }
    unsigned m = __match_any_sync(~0u, v & 1);
    o[i] = __popc(m);
    break;
  }
}""")
    out = np.zeros(32, "i4")
    module.run("k", 1, 32, out)
    expected = np.zeros(32, int)
    for round_ in range(4):
        values = []
        for i in range(32):
            v = i
            for j in range((i * 7 + round_) % 5):
                v = v * 3 + j
            values.append(v)
        expected += sum(values) + values[round_]
    assert out.tolist() == expected.tolist()
    out = np.zeros(64, "i4")
    module.run("leavers", 1, 64, out)
    for warp in (0, 32):
        stay = [k for k in range(warp, warp + 32) if k % 3]
        assert all(out[k] == len(stay) for k in stay)
    out = np.zeros(32, "i4")
    module.run("elsewhere", 1, 32, out, np.random.default_rng(0).integers(0, 2, 32).astype("i4"))
    assert (out == 16).all()


def test_uneven_blocks(build):
    module = build("""
extern "C" __global__ void k(int* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m = __activemask();
  o[i] = __popc(m) * 1000 + __shfl_down_sync(m, threadIdx.x, 1);
}""")
    out = np.zeros((3, 50), "i4")
    module.run("k", 3, 50, out)
    first = [32000 + (k + 1 if k < 31 else k) for k in range(32)]
    rest = 18000 + np.arange(33, 50)
    for row in out:
        assert row[:32].tolist() == first
        assert row[32:49].tolist() == rest.tolist()
