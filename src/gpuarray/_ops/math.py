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
add = create("add")
subtract = create("subtract")
multiply = create("multiply")
divide = create("divide")
true_divide = divide
floor_divide = create("floor_divide")
remainder = create("remainder")
mod = remainder
fmod = create("fmod")
divmod = create("divmod", 2)
power = create("power")
pow = power
float_power = create("float_power")
negative = create("negative")
positive = create("positive")
absolute = create("absolute")
abs = absolute
fabs = create("fabs")
sign = create("sign")
conjugate = create("conjugate")
conj = conjugate
reciprocal = create("reciprocal")
square = create("square")
sqrt = create("sqrt")
cbrt = create("cbrt")
heaviside = create("heaviside")

# Exponents and logarithms
exp = create("exp")
exp2 = create("exp2")
expm1 = create("expm1")
log = create("log")
log2 = create("log2")
log10 = create("log10")
log1p = create("log1p")
logaddexp = create("logaddexp")
logaddexp2 = create("logaddexp2")

# Trigonometry
sin = create("sin")
cos = create("cos")
tan = create("tan")
arcsin = create("arcsin")
arccos = create("arccos")
arctan = create("arctan")
arctan2 = create("arctan2")
asin, acos, atan, atan2 = arcsin, arccos, arctan, arctan2
hypot = create("hypot")
deg2rad = create("deg2rad")
rad2deg = create("rad2deg")
radians = create("radians")
degrees = create("degrees")

# Hyperbolic functions
sinh = create("sinh")
cosh = create("cosh")
tanh = create("tanh")
arcsinh = create("arcsinh")
arccosh = create("arccosh")
arctanh = create("arctanh")
asinh, acosh, atanh = arcsinh, arccosh, arctanh

# Rounding
rint = create("rint")
floor = create("floor")
ceil = create("ceil")
trunc = create("trunc")

# Extrema of pairs
maximum = create("maximum")
minimum = create("minimum")
fmax = create("fmax")
fmin = create("fmin")

# Integers
gcd = create("gcd")
lcm = create("lcm")

# Parts of floats
modf = create("modf", 2)
