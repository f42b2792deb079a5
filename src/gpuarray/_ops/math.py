"""Mathematical functions: trigonometry, hyperbolic functions, rounding, exponents, arithmetic."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "conj",
    "conjugate", "cos", "cosh", "deg2rad", "degrees", "divide", "divmod", "exp", "exp2", "expm1",
    "fabs", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "gcd", "heaviside",
    "hypot", "lcm", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "maximum",
    "minimum", "mod", "modf", "multiply", "negative", "positive", "pow", "power", "rad2deg",
    "radians", "reciprocal", "remainder", "rint", "sign", "sin", "sinh", "sqrt", "square",
    "subtract", "tan", "tanh", "true_divide", "trunc",
]  # fmt: skip

# Arithmetic
add = create("add", "Sum of two operands.", [1, 2, 3], 10)
subtract = create("subtract", "Difference of two operands.", [5, 6, 7], [1, 2, 3])
multiply = create("multiply", "Product of two operands.", [1, 2, 3], 2)
divide = create("divide", "Quotient of two operands; integers give floats.", [1, 2, 3], 2)
true_divide = divide
floor_divide = create(
    "floor_divide", "Largest integer not above the quotient.", [-7, 7, 8], [2, 2, -3]
)
remainder = create(
    "remainder", "Remainder of floor division, with the sign of the divisor.", [-7, 7], 3
)
mod = remainder
fmod = create("fmod", "Remainder of truncating division, with the dividend's sign.", [-7, 7], 3)
divmod = create("divmod", "Floor quotient and remainder at once.", [7, -7], 3)
power = create("power", "First operand to the power of the second.", [1, 2, 3], 2)
pow = power
float_power = create("float_power", "Power in at least float64.", [1, 2, 3], -2)
negative = create("negative", "The operand with its sign changed.", [1, -2, 0])
positive = create("positive", "A copy of the operand.", [1, -2, 0])
absolute = create("absolute", "Absolute value; the modulus of complex numbers.", [-1, 2, -3])
abs = absolute
fabs = create("fabs", "Absolute value as a float.", [-1, 2, -3])
sign = create("sign", "-1, 0 or 1 by the sign; complex numbers divided by their modulus.",
              [-5.0, 0.0, 3.0])  # fmt: skip
conjugate = create("conjugate", "Complex conjugate.", [1 + 2j, 3 - 1j])
conj = conjugate
reciprocal = create("reciprocal", "One divided by the operand.", [1.0, 2.0, 4.0])
square = create("square", "The operand times itself.", [1, 2, 3])
sqrt = create("sqrt", "Square root that is not negative.", [1.0, 4.0, 9.0])
cbrt = create("cbrt", "Cube root.", [1.0, 8.0, 27.0])
heaviside = create(
    "heaviside", "Step function: 0 below zero, 1 above, x2 at zero.", [-1.5, 0.0, 2.0], 0.5
)

# Exponents and logarithms
exp = create("exp", "e to the power of the operand.", [0.0, 1.0])
exp2 = create("exp2", "2 to the power of the operand.", [0.0, 3.0])
expm1 = create("expm1", "exp(x) - 1 without cancellation near zero.", [0.0, 1e-10])
log = create("log", "Natural logarithm.", [1.0, 10.0])
log2 = create("log2", "Logarithm to base 2.", [1.0, 8.0])
log10 = create("log10", "Logarithm to base 10.", [1.0, 1000.0])
log1p = create("log1p", "log(1 + x) without cancellation near zero.", [0.0, 1e-10])
logaddexp = create("logaddexp", "log(exp(x1) + exp(x2)) without overflow.", [1000.0], [1000.0])
logaddexp2 = create("logaddexp2", "log2(2**x1 + 2**x2) without overflow.", [2000.0], [2000.0])

# Trigonometry
sin = create("sin", "Sine of an angle in radians.", [0.0, 1.0])
cos = create("cos", "Cosine of an angle in radians.", [0.0, 1.0])
tan = create("tan", "Tangent of an angle in radians.", [0.0, 1.0])
arcsin = create("arcsin", "Inverse sine in radians.", [0.0, 1.0])
arccos = create("arccos", "Inverse cosine in radians.", [0.0, 1.0])
arctan = create("arctan", "Inverse tangent in radians.", [0.0, 1.0])
arctan2 = create("arctan2", "Angle of the point (x2, x1) in radians.", [1.0, -1.0], [1.0, -1.0])
asin, acos, atan, atan2 = arcsin, arccos, arctan, arctan2
hypot = create("hypot", "Length of the vector (x1, x2), without overflow.", [3.0, 5.0], [4.0, 12.0])
deg2rad = create("deg2rad", "Degrees to radians.", [0.0, 180.0])
rad2deg = create("rad2deg", "Radians to degrees.", [0.0, 1.0])
radians = create("radians", "Degrees to radians.", [0.0, 180.0])
degrees = create("degrees", "Radians to degrees.", [0.0, 1.0])

# Hyperbolic functions
sinh = create("sinh", "Hyperbolic sine.", [0.0, 1.0])
cosh = create("cosh", "Hyperbolic cosine.", [0.0, 1.0])
tanh = create("tanh", "Hyperbolic tangent.", [0.0, 1.0])
arcsinh = create("arcsinh", "Inverse hyperbolic sine.", [0.0, 1.0])
arccosh = create("arccosh", "Inverse hyperbolic cosine.", [1.0, 2.0])
arctanh = create("arctanh", "Inverse hyperbolic tangent.", [0.0, 0.5])
asinh, acosh, atanh = arcsinh, arccosh, arctanh

# Rounding
rint = create("rint", "Nearest integer, halves to even, as a float.", [0.5, 1.5, -2.7])
floor = create("floor", "Largest integer not above the operand.", [1.7, -1.7])
ceil = create("ceil", "Smallest integer not below the operand.", [1.2, -1.2])
trunc = create("trunc", "Nearest integer towards zero.", [1.7, -1.7])

# Extrema of pairs
maximum = create("maximum", "The greater of two operands; NaN if one is.", [1, 5], [3, 2])
minimum = create("minimum", "The lesser of two operands; NaN if one is.", [1, 5], [3, 2])
fmax = create("fmax", "The greater of two operands, passing over NaN.", [1.0, 5.0], [3.0, 2.0])
fmin = create("fmin", "The lesser of two operands, passing over NaN.", [1.0, 5.0], [3.0, 2.0])

# Integers
gcd = create("gcd", "Greatest common divisor.", [12, 18], 8)
lcm = create("lcm", "Least common multiple.", [4, 6], 10)

# Parts of floats
modf = create("modf", "Fractional and integral part, with the sign of the operand.", [1.5, -2.25])
