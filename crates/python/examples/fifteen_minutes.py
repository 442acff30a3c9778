# %% [markdown]
# # A city of fifteen minutes
#
# Who reaches what within fifteen minutes on foot, and a picture of it, which takes matplotlib.
#
#     python fifteen_minutes.py city.gr --minute 80 --picture fifteen_minutes.png
#
# The file has roads with their lengths, of which `--minute` is how far one walks in a minute: 80 in
# metres. If coordinates lie beside it (`city.co`), the picture is a map. Without a file the roads are a
# small grid.

# %%
import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import starpaths

parser = argparse.ArgumentParser()
parser.add_argument("file", nargs="?", type=Path, help="roads with their lengths, such as city.gr")
parser.add_argument("--minute", type=float, default=80, help="how far one walks in a minute")
parser.add_argument("--picture", type=Path, default=Path("fifteen_minutes.png"))
# in a notebook the arguments are those of its kernel
options = parser.parse_args([] if "ipykernel" in sys.modules else None)
LIMIT = 15 * options.minute

# %% [markdown]
# ## Roads


# %%
def grid(side):
    """A city of blocks of some hundred metres, and where its corners are."""
    corners = np.arange(side * side).reshape(side, side)
    sources = np.concatenate((corners[:, :-1].ravel(), corners[:-1].ravel()))
    targets = np.concatenate((corners[:, 1:].ravel(), corners[1:].ravel()))
    lengths = np.random.default_rng(1).integers(100, 300, len(sources))
    graph = starpaths.Graph.from_arcs(sources, targets, lengths, directed=False)
    return graph, np.stack((corners % side, corners // side), axis=-1).reshape(-1, 2)


def coordinates_beside(file):
    """Where the vertices are, by the file of coordinates that belongs to one of roads."""
    for suffix in (".co", ".co.gz"):
        beside = file.with_name(file.name.removesuffix(".gz").removesuffix(".gr") + suffix)
        if beside.exists():
            # lines `v NUMBER X Y`, in the order of the numbers
            return np.loadtxt(beside, comments=["c", "p"], usecols=(2, 3), ndmin=2)
    return None


if options.file is None:
    graph, coordinates = grid(60)
else:
    graph, coordinates = starpaths.Graph.read(options.file), coordinates_beside(options.file)
print(graph)

# %% [markdown]
# ## Places
#
# Some of each kind are drawn here. Your own have coordinates; scipy's `cKDTree` finds their vertices.

# %%
KINDS = {"shops": 40, "schools": 90, "surgeries": 120, "parks": 150}  # vertices for each
rng = np.random.default_rng(2)
counts = [-(-graph.n_vertices // vertices_each) for vertices_each in KINDS.values()]
places = np.concatenate([rng.integers(graph.n_vertices, size=count) for count in counts])
kinds = np.repeat(np.arange(len(KINDS)), counts)

# %% [markdown]
# ## Who reaches what
#
# For every vertex the number of places of each kind within fifteen minutes: a search for each place,
# which ends at the limit.

# %%
within = graph.aggregate(places, LIMIT, categories=kinds)
for kind, count, column in zip(KINDS, counts, within.T):
    print(f"{count} {kind}: {np.mean(column > 0):.0%} of the vertices have one within 15 minutes")
n_kinds = (within > 0).sum(axis=1)
print(f"{np.mean(n_kinds == len(KINDS)):.0%} of the vertices have one of each kind")

# %% [markdown]
# ## How far one comes
#
# The vertices within fifteen minutes of the one that has most, with their distances.

# %%
best = int(within.sum(axis=1).argmax())
_, near, lengths, _ = graph.within([best], LIMIT)
minutes = lengths / options.minute
print(f"from vertex {best} one reaches {len(near)} vertices")

# %% [markdown]
# ## The picture

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
left.set_title("kinds of places within 15 minutes")
right.set_title(f"minutes from vertex {best}")
if coordinates is not None:
    size = 20_000 / graph.n_vertices
    colours = plt.get_cmap("viridis", len(KINDS) + 1)
    points = left.scatter(*coordinates.T, s=size, c=n_kinds, cmap=colours, vmin=-0.5,
                          vmax=len(KINDS) + 0.5)
    figure.colorbar(points, ax=left, ticks=range(len(KINDS) + 1))
    for kind, name in enumerate(KINDS):
        there = coordinates[places[kinds == kind]]
        left.plot(*there.T, "^", markersize=60 / np.sqrt(len(places)), label=name)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=len(KINDS), markerscale=2)
    right.scatter(*coordinates.T, s=size, color="lightgrey")
    points = right.scatter(*coordinates[near].T, s=size, c=minutes)
    figure.colorbar(points, ax=right)
    for axes in (left, right):
        axes.set_aspect("equal")
        axes.set_axis_off()
else:
    left.bar(range(len(KINDS) + 1), np.bincount(n_kinds, minlength=len(KINDS) + 1))
    left.set_ylabel("vertices")
    right.hist(minutes, bins=15)
    right.set_ylabel("vertices")
figure.savefig(options.picture, dpi=150)
print(f"the picture is {options.picture}")
