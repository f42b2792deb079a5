"""
Prices of options by Monte Carlo
================================

An Asian option pays by the *mean* price of a share over a year, and no formula gives its value;
random paths do. The same paths value a European option, which pays by the last price, and there
the formula of Black and Scholes shows how good the estimate is.
"""

import argparse
from math import erf, exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np

import gpuarray as cp

paths = 4_000_000 if cp.cuda.is_available() else 20_000  # the emulated device is slow
parser = argparse.ArgumentParser(description="Values of two options by random paths of a share.")
parser.add_argument("--paths", type=int, default=paths, help="random paths (%(default)s)")
parser.add_argument("--days", type=int, default=52, help="steps of a year (%(default)s)")
parser.add_argument("--seed", type=int, default=2, help="of the random numbers (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# A share at 100 with a volatility of 20 % a year and an interest rate of 3 %; both options pay what
# exceeds 105. Each step of all paths is one kernel.

start, strike, rate, volatility = 100.0, 105.0, 0.03, 0.2
drift = (rate - volatility**2 / 2) / args.days
spread = volatility / sqrt(args.days)


@cp.fuse
def advance(price, total, normal):
    price = price * cp.exp(drift + spread * normal)
    return price, total + price


rng = cp.random.default_rng(args.seed)
price = cp.full(args.paths, start, dtype=cp.float32)
total = cp.zeros_like(price)
some = [price[:40]]
for day in range(1, args.days + 1):
    price, total = advance(price, total, rng.standard_normal(args.paths, dtype=cp.float32))
    some.append(price[:40])
    if day % max(1, args.days // 4) == 0:
        print(f"step {day} of {args.days}: mean price {float(price.mean(dtype=float)):.2f}")

# %%
# What is paid a year from now is worth less today, by the interest.


def estimate(final):
    """The mean value of an option, and its standard error, after each number of paths."""
    value = exp(-rate) * cp.maximum(final - strike, 0).astype(float)
    n = cp.arange(1, value.size + 1)
    mean = value.cumsum() / n
    error = cp.sqrt(((value * value).cumsum() / n - mean * mean) / n)
    return mean, error


european, error = estimate(price)
asian, asian_error = estimate(total / args.days)
d = (log(start / strike) + rate + volatility**2 / 2) / volatility
normal = [0.5 + 0.5 * erf(x / sqrt(2)) for x in (d, d - volatility)]
formula = start * normal[0] - strike * exp(-rate) * normal[1]
print(f"European: {float(european[-1]):.3f} ± {float(error[-1]):.3f}, by formula {formula:.3f}")
print(f"Asian:    {float(asian[-1]):.3f} ± {float(asian_error[-1]):.3f}")

# %%
# Some of the paths, and the estimate with more and more of them, within two standard errors.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
weeks = np.arange(args.days + 1) * 52 / args.days
left.plot(weeks, cp.stack(some).get(), color="#0072b2", alpha=0.3, linewidth=0.8)
left.axhline(strike, color="#d55e00", label="strike price")
left.set(title="40 paths of the share", xlabel="week", ylabel="price")
left.legend()
n = np.unique(np.geomspace(50, args.paths, 200).astype(int))
mean, band = european[n - 1].get(), 2 * error[n - 1].get()
right.plot(n, mean, color="#0072b2", label="Monte Carlo, ± 2 standard errors")
right.fill_between(n, mean - band, mean + band, color="#0072b2", alpha=0.2)
right.axhline(formula, color="#d55e00", linestyle="--", label="Black and Scholes")
right.set(title="European option", xlabel="paths", ylabel="value", xscale="log")
right.legend()
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
