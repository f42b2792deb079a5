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
    special(
        "mathieu_modcem1", 3,
        "Even modified Mathieu function of the first kind, and its derivative.",
        2.0, 5.0, [0.5, 1.0],
        loops="fff->ff ddd->dd", header="special_mathieu_modified",
        floats=(
            "special::mathieu_modcem1(double(in0), double(in1), double(in2)).value",
            "special::mathieu_modcem1(double(in0), double(in1), double(in2)).slope",
        ),
        nout=2,
        result="(array([ 0.36809396, -0.31020497]), array([-1.08866237, -0.57538146]))",
    ),
    special(
        "mathieu_modcem2", 3,
        "Even modified Mathieu function of the second kind, and its derivative.",
        2.0, 5.0, [0.5, 1.0],
        loops="fff->ff ddd->dd", header="special_mathieu_modified",
        floats=(
            "special::mathieu_modcem2(double(in0), double(in1), double(in2)).value",
            "special::mathieu_modcem2(double(in0), double(in1), double(in2)).slope",
        ),
        nout=2,
        result="(array([0.28490793, 0.13682703]), array([ 0.88686928, -1.79846262]))",
    ),
    special(
        "mathieu_modsem1", 3,
        "Odd modified Mathieu function of the first kind, and its derivative.",
        2.0, 5.0, [0.5, 1.0],
        loops="fff->ff ddd->dd", header="special_mathieu_modified",
        floats=(
            "special::mathieu_modsem1(double(in0), double(in1), double(in2)).value",
            "special::mathieu_modsem1(double(in0), double(in1), double(in2)).slope",
        ),
        nout=2,
        result="(array([ 0.41676178, -0.2136053 ]), array([-0.09099534, -1.36639405]))",
    ),
    special(
        "mathieu_modsem2", 3,
        "Odd modified Mathieu function of the second kind, and its derivative.",
        2.0, 5.0, [0.5, 1.0],
        loops="fff->ff ddd->dd", header="special_mathieu_modified",
        floats=(
            "special::mathieu_modsem2(double(in0), double(in1), double(in2)).value",
            "special::mathieu_modsem2(double(in0), double(in1), double(in2)).slope",
        ),
        nout=2,
        result="(array([-0.02792459,  0.24662057]), array([ 1.5336358 , -1.40276902]))",
    ),
)
