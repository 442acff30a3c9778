# %% [markdown]
# # Who matters in this network
#
# The same network four times: who is near all others, who is on their ways, which links these ways
# take, and who just has many links. The picture takes matplotlib.
#
#     python who_matters.py friends.csv --picture who_matters.png
#
# The file has a line for each link, and its ends by name or number. Without a file the network is one
# of places in a square that are near each other, and the picture is a map.

# %%
import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import starpaths

parser = argparse.ArgumentParser()
parser.add_argument("file", nargs="?", type=Path, help="links, such as friends.csv")
parser.add_argument("--picture", type=Path, default=Path("who_matters.png"))
# in a notebook the arguments are those of its kernel
options = parser.parse_args([] if "ipykernel" in sys.modules else None)


# %%
def linked(sources, targets, n):
    """The network of these links, which go both ways."""
    ones = np.ones(len(sources), np.uint32)
    return starpaths.Graph.from_arcs(sources, targets, ones, n_vertices=n, directed=False)


def places(n, radius):
    """Places in a square with links between near ones, all of which are connected."""
    places = np.random.default_rng(4).random((n, 2))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    sources, targets = np.nonzero(np.triu(apart < radius, 1))
    _, component = linked(sources, targets, n).components("weak")
    kept = component == np.bincount(component).argmax()
    new = np.cumsum(kept) - 1
    inside = kept[sources]
    return linked(new[sources[inside]], new[targets[inside]], kept.sum()), places[kept]


if options.file is None:
    graph, coordinates = places(260, 0.095)
    name = str
else:
    read = starpaths.Graph.read(options.file)
    links = read.to_scipy().tocoo()
    graph, coordinates = linked(links.row, links.col, read.n_vertices), None
    name = read.name
print(graph)

# %% [markdown]
# ## Three questions
#
# Closeness asks how far it is to all others, betweenness how many of the shortest paths of others lead
# through a vertex, or along a link. A degree only counts links. On a GPU: `backend="cuda"`.

# %%
matrix = graph.to_scipy()
degree = np.diff(matrix.indptr)
closeness = graph.totals().closeness()
between = graph.betweenness()
along = graph.edge_betweenness()
for measure, values in {"degree": degree, "closeness": closeness, "betweenness": between}.items():
    first = np.argsort(-values, kind="stable")[:5]
    print(f"most by {measure}: " + ", ".join(str(name(vertex)) for vertex in first))
shared = np.corrcoef(closeness, between)[0, 1]
print(f"closeness and betweenness correlate by {shared:.2f}")

# %% [markdown]
# ## The picture

# %%
if coordinates is None:
    figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
    axes.scatter(closeness, between, s=9)
    axes.set_xlabel("closeness")
    axes.set_ylabel("betweenness")
else:
    figure, all_axes = plt.subplots(2, 2, figsize=(10, 10), layout="constrained")
    rows = np.repeat(np.arange(graph.n_vertices), degree)
    # a link is two arcs, which share its paths evenly
    once = rows < matrix.indices
    links = np.stack((coordinates[rows], coordinates[matrix.indices]), axis=1)[once]
    titles = ["degree", "closeness", "betweenness", "betweenness of links"]
    for axes, title, values in zip(all_axes.flat, titles, [degree, closeness, between, None]):
        widths = 0.5 if values is not None else 0.3 + 5 * along[once] / along.max()
        axes.add_collection(LineCollection(links, colors="lightgrey" if values is not None else "C0",
                                           linewidths=widths, zorder=1))
        if values is not None:
            order = np.argsort(values)
            axes.scatter(*coordinates[order].T, s=22, c=values[order], zorder=2)
        axes.set_title(title)
        axes.set_aspect("equal")
        axes.autoscale()
        axes.set_axis_off()
figure.savefig(options.picture, dpi=75)
print(f"the picture is {options.picture}")
