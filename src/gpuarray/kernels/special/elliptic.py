"""Elliptic integrals and functions, ellipsoidal harmonics."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import HUGE
from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "ellipk", 1, "Complete elliptic integral of the first kind of the parameter m.", [0.0, 0.5],
        loops="d->d f->f", header="special_elliptic",
        floats="special::ellipk(in0)",
        result="array([1.57079633, 1.85407468])",
    ),
    special(
        "ellipkm1", 1,
        "Complete elliptic integral of the first kind of the parameter 1 - p.", [1e-20, 1.0],
        loops="d->d f->f", header="special_elliptic",
        floats="special::ellipkm1(in0)",
        result="array([24.41214529,  1.57079633])",
    ),
    special(
        "ellipe", 1,
        "Complete elliptic integral of the second kind of the parameter m.", [0.0, 0.5],
        loops="d->d f->f", header="special_elliptic",
        floats="special::ellipe(in0)",
        result="array([1.57079633, 1.35064388])",
    ),
    special(
        "ellipkinc", 2,
        "Elliptic integral of the first kind of an amplitude and a parameter.", [0.5, 1.5], 0.5,
        loops="dd->d ff->f", header="special_elliptic",
        floats="special::ellipkinc(in0, in1)",
        result="array([0.51046714, 1.75403692])",
    ),
    special(
        "ellipeinc", 2,
        "Elliptic integral of the second kind of an amplitude and a parameter.", [0.5, 1.5], 0.5,
        loops="dd->d ff->f", header="special_elliptic",
        floats="special::ellipeinc(in0, in1)",
        result="array([0.48991096, 1.30054157])",
    ),
    special(
        "ellipj", 2,
        "Jacobi's elliptic functions sn, cn and dn, and the amplitude.", [0.5, 1.5], 0.5,
        loops="dd->dddd ff->ffff", header="special_elliptic",
        floats=(
            "special::ellipj(in0, in1).sn",
            "special::ellipj(in0, in1).cn",
            "special::ellipj(in0, in1).dn",
            "special::ellipj(in0, in1).ph",
        ),
        nout=4,
        result=(
            "(array([0.47075047, 0.96817602]), array([0.88226639, 0.25027026]), "
            "array([0.94297243, 0.72891536]), array([0.49014121, 1.31783694]))"
        ),
    ),
    special(
        "agm", 2, "Arithmetic-geometric mean.", [1.0, 2.0], [24.0, 6.0],
        loops="ff->f dd->d", header="special_elliptic",
        floats="special::agm(in0, in1)",
        result="array([8.25667216, 3.72723357])",
    ),
    special(
        "elliprc", 2, "Degenerate symmetric elliptic integral R_C.", [1.0, 0.5], [2.0, 1.5],
        loops="ff->f dd->d FF->F DD->D", header="special_elliptic",
        floats="special::carlson_rc(double(in0), double(in1))",
        complexes="special::carlson_rc(wide(in0), wide(in1))",
        result="array([0.78539816, 0.95531662])",
    ),
    special(
        "elliprd", 3,
        "Symmetric elliptic integral of the second kind R_D.", [0.0, 1.0], 2.0, [1.0, 3.0],
        loops="fff->f ddd->d FFF->F DDD->D", header="special_elliptic",
        floats="special::carlson_rd(double(in0), double(in1), double(in2))",
        complexes="special::carlson_rd(wide(in0), wide(in1), wide(in2))",
        result="array([1.79721035, 0.29046028])",
    ),
    special(
        "elliprf", 3,
        "Completely symmetric elliptic integral of the first kind R_F.",
        [0.0, 1.0], 2.0, [1.0, 3.0],
        loops="fff->f ddd->d FFF->F DDD->D", header="special_elliptic",
        floats="special::carlson_rf(double(in0), double(in1), double(in2))",
        complexes="special::carlson_rf(wide(in0), wide(in1), wide(in2))",
        result="array([1.31102878, 0.72694594])",
    ),
    special(
        "elliprg", 3,
        "Completely symmetric elliptic integral of the second kind R_G.",
        [0.0, 1.0], 2.0, [1.0, 3.0],
        loops="fff->f ddd->d FFF->F DDD->D", header="special_elliptic",
        floats="special::carlson_rg(double(in0), double(in1), double(in2))",
        complexes="special::carlson_rg(wide(in0), wide(in1), wide(in2))",
        result="array([0.95504945, 1.4018471 ])",
    ),
    special(
        "elliprj", 4,
        "Symmetric elliptic integral of the third kind R_J.", [0.0, 1.0], 2.0, [1.0, 3.0], 4.0,
        loops="ffff->f dddd->d FFFF->F DDDD->D", header="special_elliptic",
        floats="special::carlson_rj(double(in0), double(in1), double(in2), double(in3))",
        complexes="special::carlson_rj(wide(in0), wide(in1), wide(in2), wide(in3))",
        result="array([0.61618767, 0.2398481 ])",
    ),
    special(
        "_ellip_harm", 7, "Ellipsoidal harmonic function E of h2, k2, n, p, s and two signs.",
        5.0, 8.0, [1.0, 2.0], 1.0, 2.5, 1.0, 1.0,
        loops="fffffff->f ddllddd->d ddddddd->d", header="special_ellipsoidal",
        floats=(
            "special::ellip_harm(double(in0), double(in1), double(in2), double(in3), double(in4), "
            "double(in5), double(in6))"
        ),
        weight=HUGE,
        result="array([ 2.5       , -0.41666667])",
    ),
    special(
        "_ellip_harm_2", 5, "Ellipsoidal harmonic function F of h2, k2, n, p and s.",
        5.0, 8.0, [1.0, 2.0], 1.0, 10.0,
        loops="ddddd->d", header="special_ellipsoidal",
        floats="special::ellip_harm_2(in0, in1, in2, in3, in4)", weight=HUGE,
        result="array([0.01040964, 0.00108057])",
    ),
    special(
        "_ellip_normal", 4, "Normalization constant of ellipsoidal harmonics of h2, k2, n and p.",
        5.0, 8.0, [2.0, 3.0], [1.0, 7.0],
        loops="dddd->d", header="special_ellipsoidal",
        floats="special::ellip_normal(in0, in1, in2, in3)", weight=HUGE,
        result="array([ 347.51444662, 1723.38796997])",
    ),
)
