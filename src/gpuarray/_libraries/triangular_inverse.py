"""The inverses of triangles by products of their blocks, as steps of plans.

With the inverses of two triangles on the diagonal, that of the triangle which they are in is two
products more: of ``[[A, 0], [B, C]]`` it has ``-inv(C) B inv(A)`` below ``inv(A)``. A kernel
inverts triangles of 32 rows, and from one size to the double all pairs are products of one call
(Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 14.2.2).
"""

from __future__ import annotations

from gpuarray import _layout
from gpuarray._libraries.precision import compute_type
from gpuarray._libraries.steps import Operand, Stack, Steps
from gpuarray.kernels import matrix_factors

__all__ = ["Block", "invert", "multiply"]


class Block:
    """A block of a column-major matrix, or of several at equal distances.

    Parameters
    ----------
    operand : Operand
        The memory.
    begin, ld : int
        Where the block begins, and the leading dimension; all in elements.
    stride : int, optional
        From one block to the next one of a product's stack.
    distance : int, optional
        From a matrix of the plan's stack to the next one.
    """

    __slots__ = ("begin", "distance", "ld", "operand", "stride")

    def __init__(
        self, operand: Operand, begin: int, ld: int, stride: int = 0, distance: int = 0
    ) -> None:
        self.operand, self.begin, self.ld = operand, begin, ld
        self.stride, self.distance = stride, distance


def multiply(
    steps: Steps,
    sizes: tuple[int, int, int],
    a: Block,
    b: Block,
    c: Block,
    factors: tuple[int, int] = (1, 0),
    operations: str = "NN",
    count: int = 1,
    matrices: int = 1,
) -> None:
    """Add products ``C = alpha op(A) op(B) + beta C`` of column-major blocks.

    Parameters
    ----------
    steps : Steps
        The plan.
    sizes : tuple of int
        The rows of C, its columns, and the inner length.
    a, b, c : Block
        The operands.
    factors : tuple of int, optional
        Alpha and beta.
    operations : str, optional
        Those of A and B: 'N', 'T' or 'C'.
    count : int, optional
        Products of one call.
    matrices : int, optional
        Calls.
    """
    m, n, k = sizes
    if not (m and n and k and count):
        return
    dtype = a.operand.layout.dtype
    values = {
        "transa": f"CUBLAS_OP_{operations[0]}", "transb": f"CUBLAS_OP_{operations[1]}",
        "m": m, "n": n, "k": k, "alpha": dtype.type(factors[0]), "beta": dtype.type(factors[1]),
        "batchCount": count, "algo": "CUBLAS_GEMM_DEFAULT",
        "computeType": compute_type(dtype, dtype, steps.stream, True),
    }  # fmt: skip
    begins, distances = {}, {}
    for name, x in zip("ABC", (a, b, c), strict=True):
        values |= {f"{name}type": dtype, f"ld{name.lower()}": x.ld, f"stride{name}": x.stride}
        begins[name] = x.begin * dtype.itemsize
        distances[name] = x.distance * dtype.itemsize
    operands = {"A": a.operand, "B": b.operand, "C": c.operand}
    stack = Stack(matrices, distances, begins)
    steps.blas("cublasGemmStridedBatchedEx_64", values, operands, stack)


def invert(steps: Steps, triangles: Operand, upper: bool, unit: bool = False) -> Operand:
    """Add the steps for the inverses of triangles of column-major matrices.

    Parameters
    ----------
    steps : Steps
        The plan.
    triangles : Operand
        Gapless, of shape (count, n, n). The other triangle is not read.
    upper : bool
        Which triangle it is.
    unit : bool, optional
        Whether the diagonal is taken for ones.

    Returns
    -------
    Operand
        Scratch memory of that layout: column-major matrices, with zeros in the other triangle.
    """
    layout = triangles.layout
    matrices, n, _ = layout.shape
    inverse = steps.scratch(layout)
    launch = matrix_factors.launch.inverse_tiles(layout, upper, unit, steps.stream)
    steps.launch(launch, {"matrices": triangles, "inverses": inverse})
    size = matrix_factors.spec.TILE
    if size >= n:
        return inverse
    widths = []
    while size < n:
        widths.append(size)
        size *= 2
    most = max([-(-n // (2 * size)) * size * size for size in widths])
    products = steps.scratch(_layout.contiguous(layout.dtype, (matrices, most)))
    for size in widths:
        whole, rest = divmod(n, 2 * size)
        # All pairs are alike, but for the last one, whose second triangle may be smaller.
        for first, count, second in ((0, whole, size), (whole, 1, rest - size)):
            if count > 0 and second > 0:
                sizes = size, second
                _join(steps, triangles, inverse, products, upper, first, count, sizes)
    return inverse


def _join(
    steps: Steps,
    triangles: Operand,
    inverse: Operand,
    products: Operand,
    upper: bool,
    first: int,
    count: int,
    sizes: tuple[int, int],
) -> None:
    """Add the products for the block beside each pair of triangles."""
    matrices, n, _ = triangles.layout.shape
    size, second = sizes
    stride = 2 * size * (n + 1)

    def block(operand: Operand, row: int, column: int) -> Block:
        begin = first * stride + column * n + row
        return Block(operand, begin, n, stride, n * n)

    beside = (0, size) if upper else (size, 0)
    one, other = block(inverse, 0, 0), block(inverse, size, size)
    rows, columns = (size, second) if upper else (second, size)
    product = Block(products, 0, rows, rows * columns, products.layout.shape[-1])
    between, target = block(triangles, *beside), block(inverse, *beside)
    right, inner = (other, second) if upper else (one, size)
    shape = (rows, columns, inner)
    multiply(steps, shape, between, right, product, count=count, matrices=matrices)
    left, inner = (one, size) if upper else (other, second)
    shape = (rows, columns, inner)
    multiply(steps, shape, left, product, target, (-1, 0), "NN", count, matrices)
