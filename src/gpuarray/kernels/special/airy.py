"""Airy and Kelvin functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "airy", 1, "Airy functions and their derivatives: Ai, Ai', Bi, Bi'.", [0.0, 1.5],
        loops="f->ffff d->dddd F->FFFF D->DDDD", header="special_airy",
        floats=(
            "special::airy(double(in0)).ai",
            "special::airy(double(in0)).aip",
            "special::airy(double(in0)).bi",
            "special::airy(double(in0)).bip",
        ),
        complexes=(
            "special::airy(wide(in0)).ai",
            "special::airy(wide(in0)).aip",
            "special::airy(wide(in0)).bi",
            "special::airy(wide(in0)).bip",
        ),
        nout=4,
        result=(
            "(array([0.35502805, 0.0717495 ]), array([-0.2588194 , -0.09738201]), "
            "array([0.61492663, 1.8789415 ]), array([0.44828836, 1.88621225]))"
        ),
    ),
    special(
        "airye", 1,
        "airy times exp(2/3 z sqrt(z)), and exp(-abs(its real part)) for Bi.",
        [0.0, 1.5],
        loops="f->ffff d->dddd F->FFFF D->DDDD", header="special_airy",
        floats=(
            "special::airye(double(in0)).ai",
            "special::airye(double(in0)).aip",
            "special::airye(double(in0)).bi",
            "special::airye(double(in0)).bip",
        ),
        complexes=(
            "special::airye(wide(in0)).ai",
            "special::airye(wide(in0)).aip",
            "special::airye(wide(in0)).bi",
            "special::airye(wide(in0)).bip",
        ),
        nout=4,
        result=(
            "(array([0.35502805, 0.2441849 ]), array([-0.2588194 , -0.33141998]), "
            "array([0.61492663, 0.55209437]), array([0.44828836, 0.55423076]))"
        ),
    ),
    special(
        "kelvin", 1,
        "Kelvin functions as complex numbers: ber + i bei, ker + i kei, and their derivatives.",
        [1.0, 2.0],
        loops="f->FFFF d->DDDD", header="special_kelvin",
        floats=(
            "special::narrow<R::value_type>(special::kelvin(in0).be)",
            "special::narrow<R::value_type>(special::kelvin(in0).ke)",
            "special::narrow<R::value_type>(special::kelvin(in0).bep)",
            "special::narrow<R::value_type>(special::kelvin(in0).kep)",
        ),
        nout=4,
        result=(
            "(array([0.98438178+0.24956604j, 0.75173418+0.97229163j]), array([ "
            "0.28670621-0.49499464j, -0.04166451-0.20240007j]), "
            "array([-0.06244575+0.49739651j, -0.49306712+0.91701361j]), "
            "array([-0.69460389+0.35236991j, -0.10660097+0.21980791j]))"
        ),
    ),
    special(
        "ber", 1, "Kelvin function ber.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).be.real",
        result="array([  0.99902346, 138.84046594])",
    ),
    special(
        "bei", 1, "Kelvin function bei.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).be.imag",
        result="array([ 0.06249322, 56.37045855])",
    ),
    special(
        "ker", 1, "Kelvin function ker.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).ke.real",
        result="array([8.55905872e-01, 1.29466330e-04])",
    ),
    special(
        "kei", 1, "Kelvin function kei.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).ke.imag",
        result="array([-6.71581695e-01, -3.07524569e-04])",
    ),
    special(
        "berp", 1, "Derivative of ber.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).bep.real",
        result="array([-7.81207615e-03,  5.11952584e+01])",
    ),
    special(
        "beip", 1, "Derivative of bei.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).bep.imag",
        result="array([  0.24991862, 135.30930172])",
    ),
    special(
        "kerp", 1, "Derivative of ker.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).kep.real",
        result="array([-1.81979975e+00, -3.15596934e-04])",
    ),
    special(
        "keip", 1, "Derivative of kei.", [0.5, 10.0],
        loops="f->f d->d", header="special_kelvin",
        floats="special::kelvin(in0).kep.imag",
        result="array([3.33203792e-01, 1.40913838e-04])",
    ),
)
