"""Divergence, loops, tables, calls, local memory."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def test_loops_of_different_lengths(build):
    module = build(f"""
extern "C" __global__ void collatz(const unsigned* a, unsigned* o, int n) {{
  {INDEX} if (i >= n) return;
  unsigned long long x = a[i]; unsigned c = 0;
  while (x != 1) {{ x = x & 1 ? 3 * x + 1 : x >> 1; c++; }}
  o[i] = c;
}}
extern "C" __global__ void nested(int* o, int n) {{
  {INDEX} if (i >= n) return;
  int s = 0;
  for (int j = 0; j < i % 7; j++) {{
    if (j == 5) break;
    for (int k = j; k < i % 11; k++) {{ if ((k + j) % 3 == 0) continue; s += k * j + 1; }}
  }}
  o[i] = s;
}}""")
    x = np.random.default_rng(0).integers(1, 5000, 500).astype("u4")
    out = np.zeros(500, "u4")
    module.run("collatz", 2, 256, x, out, 500)

    def steps(v):
        count = 0
        while v != 1:
            v = 3 * v + 1 if v & 1 else v >> 1
            count += 1
        return count

    assert out.tolist() == [steps(v) for v in x.tolist()]
    out = np.zeros(300, "i4")
    module.run("nested", 2, 256, out, 300)
    expected = []
    for i in range(300):
        s = 0
        for j in range(i % 7):
            if j == 5:
                break
            s += sum(k * j + 1 for k in range(j, i % 11) if (k + j) % 3)
        expected.append(s)
    assert out.tolist() == expected


def test_switch(build):
    module = build(f"""
extern "C" __global__ void k(const int* op, const float* a, float* o, int n) {{
  {INDEX} if (i >= n) return;
  float x = a[i];
  switch (op[i]) {{
    case 0: x = sqrtf(x); break; case 1: x = x * x; break; case 2: x = 1 / x; break;
    case 3: x = x + i; break; case 4: for (int k = 0; k < i % 9; k++) x += k; break;
    case 5: x = -x; case 6: x += 1; break; case 7: x = floorf(x); break; default: x = 0;
  }}
  o[i] = x;
}}""")
    random = np.random.default_rng(0)
    op, a = random.integers(-1, 10, 400).astype("i4"), (random.random(400) * 9 + 1).astype("f4")
    out = np.zeros(400, "f4")
    module.run("k", 2, 256, op, a, out, 400)
    i = np.arange(400)
    triangle = np.array([sum(range(k % 9)) for k in i])
    f = [np.sqrt(a), a * a, 1 / a, a + i.astype("f4"), None, -a + 1, a + 1, np.floor(a)]
    for k, expected in enumerate(f):
        if expected is not None:
            np.testing.assert_array_equal(out[op == k], expected[op == k])
    np.testing.assert_allclose(out[op == 4], (a + triangle)[op == 4], rtol=1e-6)
    assert (out[(op < 0) | (op > 7)] == 0).all()


def test_jump_table_of_ptx(evaluate):
    code = """ts: .branchtargets L0, L1, L2;
    brx.idx %a, ts;
    L0: mov.u32 %d, 10; bra END; L1: add.u32 %d, %b, 1; bra END; L2: mov.u32 %d, %b; END:"""
    index = np.arange(64, dtype="u4") % 3
    b = np.arange(64, dtype="u4") * 5
    result = evaluate(code, "u4", index, b)
    np.testing.assert_array_equal(result, np.choose(index, [10, b + 1, b]))


CALLS = f"""
__device__ __noinline__ float horner(float x, int k)
{{ float s = 0; for (int i = 0; i < k; i++) s = s * x + i; return s; }}
__device__ __noinline__ int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }}
struct S {{ float x; int k; double d[3]; }};
__device__ __noinline__ S change(S a, int i) {{ a.x += i; a.d[i % 3] *= 2; return a; }}
__device__ __noinline__ int table(int i) {{
  int t[8]; for (int j = 0; j < 8; j++) t[j] = i * j; int s = 0;
  for (int j = 0; j < 8; j += 1 + i % 2) s += t[(i + j) % 8]; return s;
}}
typedef float (*function)(float);
__device__ __noinline__ float f0(float x) {{ return x + 1; }}
__device__ __noinline__ float f1(float x) {{ return x * 2; }}
__device__ __noinline__ float f2(float x) {{ return x - 3; }}
__device__ function functions[3] = {{f0, f1, f2}};
struct Base {{ __device__ virtual float f(float) = 0; }};
struct A : Base {{ __device__ float f(float x) {{ return x + 1; }} }};
struct B : Base {{ float k; __device__ float f(float x) {{ return x * k; }} }};
#define K(name, ...) extern "C" __global__ void name(__VA_ARGS__, int n) {{ {INDEX} if (i < n)
K(calls, const float* a, float* o) o[i] = horner(a[i], i & 7); }}
K(recursion, int* o) o[i] = fib(i & 7); }}
K(structures, S* s) s[i] = change(s[i], i); }}
K(locals, int* o) {{ int keep = i * 3; o[i] = table(i) + keep + table(i + 1); }} }}
K(indirect, const float* a, float* o) o[i] = functions[i % 3](a[i]); }}
K(virtuals, const float* a, float* o) {{
  A p; B q; q.k = 3; Base* b = a[i & 3] > 0 ? (Base*)&p : (Base*)&q; o[i] = b->f(a[i]); }} }}
"""


@pytest.fixture
def calls(build):
    return build(CALLS)


def test_calls_with_loops(calls):
    a = np.random.default_rng(0).standard_normal(300).astype("f4")
    out = np.zeros(300, "f4")
    calls.run("calls", 2, 256, a, out, 300)
    expected = np.zeros(300)
    for i in range(300):
        for j in range(i & 7):
            expected[i] = expected[i] * a[i] + j
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


def test_recursion(calls):
    out = np.zeros(300, "i4")
    calls.run("recursion", 2, 256, out, 300)
    assert out.tolist() == [[0, 1, 1, 2, 3, 5, 8, 13][i & 7] for i in range(300)]


def test_structures_by_value(calls):
    s = np.zeros(300, [("x", "f4"), ("k", "i4"), ("d", "f8", 3)])
    s["d"] = np.random.default_rng(0).standard_normal((300, 3))
    before = s.copy()
    calls.run("structures", 2, 256, s, 300)
    i = np.arange(300)
    before["d"][i, i % 3] *= 2
    np.testing.assert_array_equal(s["d"], before["d"])
    np.testing.assert_array_equal(s["x"], i.astype("f4"))


def test_local_arrays_of_called_functions(calls):
    out = np.zeros(300, "i4")
    calls.run("locals", 2, 256, out, 300)

    def table(i):
        return sum(i * ((i + j) % 8) for j in range(0, 8, 1 + i % 2))

    assert out.tolist() == [table(i) + 3 * i + table(i + 1) for i in range(300)]


def test_function_pointers(calls):
    a = np.random.default_rng(0).standard_normal(300).astype("f4")
    out = np.zeros(300, "f4")
    calls.run("indirect", 2, 256, a, out, 300)
    np.testing.assert_array_equal(out, np.choose(np.arange(300) % 3, [a + 1, a * 2, a - 3]))


def test_virtual_functions(calls):
    a = np.random.default_rng(0).standard_normal(300).astype("f4")
    out = np.zeros(300, "f4")
    calls.run("virtuals", 2, 250, a, out, 300)
    np.testing.assert_array_equal(out, np.where(a[np.arange(300) & 3] > 0, a + 1, a * 3))


def test_barriers_inside_calls(build):
    module = build("""
__device__ __noinline__ int exchange(int* s, int v) {
  s[threadIdx.x] = v; __syncthreads(); int r = s[blockDim.x - 1 - threadIdx.x]; __syncthreads();
    return r;
}
extern "C" __global__ void k(int* o) {
  __shared__ int s[128]; int i = blockIdx.x * blockDim.x + threadIdx.x, v;
  if (threadIdx.x < 64) v = exchange(s, i); else v = exchange(s, i + 1000);
  o[i] = v;
}""")
    out = np.zeros((3, 128), "i4")
    module.run("k", 3, 128, out)
    i = np.arange(384).reshape(3, 128)
    expected = (i + np.where(i % 128 < 64, 0, 1000))[:, ::-1]
    np.testing.assert_array_equal(out, expected)


def test_local_arrays_keep_their_values_under_divergence(build):
    module = build(f"""
extern "C" __global__ void k(const int* a, int* o, int n) {{
  {INDEX} if (i >= n) return;
  int t[16];
  for (int j = 0; j < 16; j++) t[j] = a[(i + j) % n];
  for (int j = 1; j < 16; j++) {{
    int v = t[j], k = j;
    while (k > 0 && t[k - 1] > v) {{ t[k] = t[k - 1]; k--; }}
    t[k] = v;
  }}
  o[i] = t[a[i] & 15];
}}""")
    a = np.random.default_rng(0).integers(0, 1000, 300).astype("i4")
    out = np.zeros(300, "i4")
    module.run("k", 2, 256, a, out, 300)
    expected = [np.sort(a[(i + np.arange(16)) % 300])[a[i] & 15] for i in range(300)]
    np.testing.assert_array_equal(out, expected)


def test_named_barriers(build):
    """One half of the block produces, the other consumes, on two barriers."""
    module = build("""
extern "C" __global__ void k(int* o) {
  __shared__ int s[32];
  int i = threadIdx.x;
  for (int round = 0; round < 3; round++) {
    if (i < 32) {
      s[i] = i * 10 + round;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      o[round * 32 + i - 32] = s[63 - i];
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}""")
    out = np.zeros((3, 32), "i4")
    module.run("k", 1, 64, out)
    expected = [[(31 - k) * 10 + r for k in range(32)] for r in range(3)]
    assert out.tolist() == expected


def test_scopes_of_inline_assembly(build):
    module = build("""
__device__ int clamp(int x) {
  int r;
  asm("{ .reg .pred p; .reg .b32 t; setp.gt.s32 p, %1, 9; mov.b32 t, %1; @p mov.b32 t, 9;"
      " @!p bra DONE; add.s32 t, t, 100; DONE: mov.b32 %0, t; }" : "=r"(r) : "r"(x));
  return r;
}
extern "C" __global__ void k(const int* a, int* o) {
  int i = threadIdx.x; o[i] = clamp(a[i]) + 1000 * clamp(a[i] + 5);
}""")
    a = np.arange(32, dtype="i4")
    out = np.zeros(32, "i4")
    module.run("k", 1, 32, a, out)
    clamp = [x if x <= 9 else 109 for x in range(40)]
    assert out.tolist() == [clamp[x] + 1000 * clamp[x + 5] for x in range(32)]
