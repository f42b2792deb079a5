"""Bessel functions of any real order."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "jv", 2, "Bessel function of the first kind of real order.", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::jv(double(in0), double(in1))",
        complexes="special::jv(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.22389078, 0.49129378])",
    ),
    special(
        "jn", 2,
        "Bessel function of the first kind of real order: the same as jv.", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::jv(double(in0), double(in1))",
        complexes="special::jv(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.22389078, 0.49129378])",
    ),
    special(
        "jve", 2, "jv(v, z) exp(-abs(z.imag)).", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::jve(double(in0), double(in1))",
        complexes="special::jve(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.22389078, 0.49129378])",
    ),
    special(
        "yv", 2, "Bessel function of the second kind of real order.", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::yv(double(in0), double(in1))",
        complexes="special::yv(double(in0), wide(in1))",
        category_operand=1,
        result="array([ 0.51037567, -0.39562328])",
    ),
    special(
        "yve", 2, "yv(v, z) exp(-abs(z.imag)).", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::yve(double(in0), double(in1))",
        complexes="special::yve(double(in0), wide(in1))",
        category_operand=1,
        result="array([ 0.51037567, -0.39562328])",
    ),
    special(
        "yn", 2, "Bessel function of the second kind of integer order.", [0, 1], 2.0,
        loops="ld->d ff->f dd->d", header="special_bessel",
        floats="special::yn(double(in0), double(in1))",
        category_operand=1,
        result="array([ 0.51037567, -0.10703243])",
    ),
    special(
        "iv", 2, "Modified Bessel function of the first kind of real order.", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::iv(double(in0), double(in1))",
        complexes="special::iv(double(in0), wide(in1))",
        category_operand=1,
        result="array([2.2795853 , 1.09947319])",
    ),
    special(
        "ive", 2, "iv(v, z) exp(-abs(z.real)).", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::ive(double(in0), double(in1))",
        complexes="special::ive(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.30850832, 0.14879752])",
    ),
    special(
        "kv", 2, "Modified Bessel function of the second kind of real order.", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::kv(double(in0), double(in1))",
        complexes="special::kv(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.11389387, 0.17990666])",
    ),
    special(
        "kve", 2, "kv(v, z) exp(z).", [0.0, 1.5], 2.0,
        loops="ff->f dd->d fF->F dD->D", header="special_bessel",
        floats="special::kve(double(in0), double(in1))",
        complexes="special::kve(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.84156822, 1.32934039])",
    ),
    special(
        "kn", 2, "Modified Bessel function of the second kind of integer order.", [0, 1], 2.0,
        loops="ld->d ff->f dd->d", header="special_bessel",
        floats="special::kn(double(in0), double(in1))",
        category_operand=1,
        result="array([0.11389387, 0.13986588])",
    ),
    special(
        "hankel1", 2, "Hankel function of the first kind.", [0.0, 1.5], 2.0 + 1.0j,
        loops="fF->F dD->D", header="special_bessel",
        complexes="special::hankel1(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.11221518+0.15428169j, 0.12318404-0.21557993j])",
    ),
    special(
        "hankel1e", 2, "hankel1(v, z) exp(-1j z).", [0.0, 1.5], 2.0 + 1.0j,
        loops="fF->F dD->D", header="special_bessel",
        complexes="special::hankel1e(double(in0), wide(in1))",
        category_operand=1,
        result="array([ 0.25440386-0.45188937j, -0.67220099-0.06061233j])",
    ),
    special(
        "hankel2", 2, "Hankel function of the second kind.", [0.0, 1.5], 2.0 + 1.0j,
        loops="fF->F dD->D", header="special_bessel",
        complexes="special::hankel2(double(in0), wide(in1))",
        category_operand=1,
        result="array([0.26349228-1.44662056j, 1.17032083+0.55974122j])",
    ),
    special(
        "hankel2e", 2, "hankel2(v, z) exp(1j z).", [0.0, 1.5], 2.0 + 1.0j,
        loops="fF->F dD->D", header="special_bessel",
        complexes="special::hankel2e(double(in0), wide(in1))",
        category_operand=1,
        result="array([ 0.44357316+0.30960712j, -0.36640666+0.30579433j])",
    ),
)
