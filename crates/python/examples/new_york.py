# %% [markdown]
# # The roads of New York
#
# Distances, paths and the nearest of several places in a road network, and a picture of them, which
# takes matplotlib.
#
#     python new_york.py USA-road-d.NY.gr.gz --picture new_york.png
#
# The file is one of the [9th DIMACS challenge](http://www.diag.uniroma1.it/challenge9/download.shtml).
# If its coordinates lie beside it (`USA-road-d.NY.co.gz`), the picture is a map, otherwise it shows
# how many places are how far away. Without a file the roads are a small grid.

# %%
import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import starpaths

parser = argparse.ArgumentParser()
parser.add_argument("file", nargs="?", type=Path, help="roads, such as USA-road-d.NY.gr.gz")
parser.add_argument("--picture", type=Path, default=Path("new_york.png"))
# in a notebook the arguments are those of its kernel
options = parser.parse_args([] if "ipykernel" in sys.modules else None)

# %% [markdown]
# ## Loading
#
# Vertices are numbered from 0; `graph.name` is what the file calls them.


# %%
def grid(side):
    """A city of square blocks, some streets of which are slower, and where its corners are."""
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
# ## Components
#
# A strong component is a set of places each of which can be driven to from each.

# %%
n_components, component = graph.components("strong")
largest = np.flatnonzero(component == np.bincount(component).argmax())
print(f"{n_components} strong components, the largest of {len(largest)} vertices")

# %% [markdown]
# ## Distances from one place
#
# One search finds the distance of every vertex, and a tree of shortest paths.

# %%
start = int(largest[len(largest) // 2])
tree = graph.sssp(start)
is_reached = np.isfinite(tree.distances)
print(f"{is_reached.sum()} vertices are reached from vertex {start} (the file's "
      f"{graph.name(start)}), on average by {tree.distances[is_reached].mean():.0f}")

# %% [markdown]
# ## A path
#
# The path to the farthest vertex is read off the tree.

# %%
farthest = int(np.where(is_reached, tree.distances, -1).argmax())
path = tree.path_to(farthest)
print(f"to vertex {farthest}: {tree.distances[farthest]:.0f} in {len(path) - 1} roads")

# %% [markdown]
# ## The nearest of several places
#
# A single search from all of them finds which is nearest, and how far it is.

# %%
stations = largest[np.linspace(0, len(largest) - 1, 8).astype(int)]
to_station, nearest = graph.nearest(stations)
for station in stations:
    print(f"station {station}: nearest for {(nearest == station).sum()} vertices")

# %% [markdown]
# ## The picture

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
if coordinates is not None:
    size = 20_000 / graph.n_vertices
    points = left.scatter(*coordinates[is_reached].T, s=size, c=tree.distances[is_reached])
    figure.colorbar(points, ax=left, label="distance")
    left.plot(*coordinates[path].T, color="red", linewidth=1)
    left.set_title("distance from one place, and the path to the farthest")
    has_station = nearest >= 0
    which = np.searchsorted(stations, nearest[has_station])
    right.scatter(*coordinates[has_station].T, s=size, c=which, cmap="tab10")
    right.plot(*coordinates[stations].T, "k^")
    right.set_title("the nearest of 8 places")
    for axes in (left, right):
        axes.set_aspect("equal")
        axes.set_axis_off()
else:
    for axes, distances in ((left, tree.distances), (right, to_station)):
        axes.hist(distances[np.isfinite(distances)], bins=100)
        axes.set_xlabel("distance")
        axes.set_ylabel("vertices")
    left.set_title("from one place")
    right.set_title("from the nearest of 8 places")
figure.savefig(options.picture, dpi=150)
print(f"the picture is {options.picture}")
