"""Mathieu functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "mathieu_a", 2,
        "Characteristic value of the even Mathieu functions of order m and parameter q.",
        [0.0, 1.0, 2.0], 5.0,
        loops="ff->f dd->d", header="special_mathieu",
        floats="special::mathieu_a(double(in0), double(in1))",
        result="array([-5.80004602,  1.85818754,  7.44910974])",
    ),
    special(
        "mathieu_b", 2,
        "Characteristic value of the odd Mathieu functions of order m and parameter q.",
        [1.0, 2.0, 3.0], 5.0,
        loops="ff->f dd->d", header="special_mathieu",
        floats="special::mathieu_b(double(in0), double(in1))",
        result="array([-5.7900806 ,  2.09946045,  9.23632771])",
    ),
    special(
        "mathieu_cem", 3,
        "Even Mathieu function of an angle in degrees, and its derivative by radians.",
        2.0, 5.0, [0.0, 30.0],
        loops="fff->ff ddd->dd", header="special_mathieu",
        floats=(
            "special::mathieu_cem(double(in0), double(in1), double(in2)).value",
            "special::mathieu_cem(double(in0), double(in1), double(in2)).slope",
        ),
        nout=2,
        result="(array([0.73529431, 0.90650125]), array([0.        , 0.30202258]))",
    ),
    special(
        "mathieu_sem", 3,
        "Odd Mathieu function of an angle in degrees, and its derivative by radians.",
        2.0, 5.0, [0.0, 30.0],
        loops="fff->ff ddd->dd", header="special_mathieu",
        floats=(
            "special::mathieu_sem(double(in0), double(in1), double(in2)).value",
            "special::mathieu_sem(double(in0), double(in1), double(in2)).slope",
        ),
        nout=2,
        result="(array([0.        , 0.50463457]), array([0.7331662 , 1.34344583]))",
    ),
)
