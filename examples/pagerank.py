"""
Which modules matter: PageRank
==============================

PageRank asks where somebody would be who follows links for ever. Here the pages are the modules of
Python's standard library, and the links are their imports: a sparse matrix, multiplied by a vector
until that changes no more.
"""

import argparse
import re
import sysconfig
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gpuarray as cp
from gpuarray.scipy import sparse

parser = argparse.ArgumentParser(description="PageRank of the modules of Python's library.")
parser.add_argument("--damping", type=float, default=0.85, help="%(default)s")
parser.add_argument("--best", type=int, default=15, help="how many to show (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# What each module imports, read from the sources' text.

library = Path(sysconfig.get_path("stdlib"))
files = {path.stem: path for path in sorted(library.glob("*.py"))}
files |= {path.parent.name: path for path in sorted(library.glob("*/__init__.py"))}
names = list(files)
number = {name: i for i, name in enumerate(names)}
links = set()
for name, path in files.items():
    text = path.read_text("utf-8", errors="replace")
    for imported in re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE):
        if imported in number and imported != name:
            links.add((number[imported], number[name]))
target, source = map(cp.asarray, np.array(sorted(links)).T)
print(f"{len(names)} modules, {len(links)} imports")

# %%
# A column for each module: its weight goes in equal parts to those that it imports. One that
# imports none gives its weight to all.

imports = cp.bincount(source, minlength=len(names))
matrix = sparse.csr_array((1 / imports[source], (target, source)), shape=(len(names),) * 2)
idle = imports == 0

rank = cp.full(len(names), 1 / len(names))
for i in range(1, 101):
    before = rank
    followed = matrix @ rank + (rank * idle).sum() / len(names)
    rank = args.damping * followed + (1 - args.damping) / len(names)
    change = float(abs(rank - before).sum())
    if i % 10 == 0 or change < 1e-6:
        print(f"iteration {i}: changed by {change:.1e}")
    if change < 1e-6:
        break

# %%
# On the right: rank is more than the number of imports. Who is imported by the important ones
# matters more.

order = cp.argsort(-rank).get()[: args.best]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
left.barh([names[i] for i in order], 100 * rank[order].get(), color="#0072b2")
left.invert_yaxis()
left.set(title="the modules of highest rank", xlabel="share of the time (%)")
imported = cp.bincount(target, minlength=len(names)).get()
right.loglog(imported, 100 * rank.get(), ".", color="#0072b2")
for i in order[[0, 2, 4, 7, 9]]:
    right.text(imported[i], 105 * float(rank[i]), names[i], ha="center", va="bottom")
right.set(title="rank and imports", xlabel="imported by so many modules", ylabel="rank (%)")
right.set_ylim(None, 20)
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
