"""The examples of loops, compared with networkx; the components of a large graph also with processes killed."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx
import numpy
import pytest

from tests.support.processes import ROOT, Run, Runs, visible_lines

pytestmark = pytest.mark.long  # many processes of their own

LOOPS = ROOT / "examples" / "loops"

#: About a third of the vertices are outside the largest component, in some ten thousand small ones.
VERTICES, EDGES = 100_000, 110_000
VICTIMS = ["driver", "worker", "java", "worker", "driver"]


def write_edges(graph: networkx.Graph, path: Path, seed: int) -> None:
    edges = list(graph.edges)
    random.Random(seed).shuffle(edges)
    path.write_text("".join(f"{u} {v}\n" for u, v in edges))


def components(graph: networkx.Graph) -> dict[int, int]:
    """Vertex -> the least vertex of its component, of all vertices with an edge."""
    return {
        vertex: least
        for component in networkx.connected_components(graph)
        if len(component) > 1
        for least in [min(component)]
        for vertex in component
    }


def pageranks(graph: networkx.DiGraph) -> dict[int, float]:
    matrix = networkx.google_matrix(graph, alpha=0.85)
    ranks = numpy.full(len(graph), 1 / len(graph))
    for _ in range(200):
        ranks = ranks @ matrix
    return dict(zip(graph, map(float, numpy.asarray(ranks).ravel()), strict=True))


def last_components(lines: list[str]) -> dict[int, int]:
    """Vertex -> the last of its changes; each change makes it smaller, and is there once."""
    changes = [tuple(int(part) for part in line.split()) for line in lines]
    twice = [change for change, count in Counter(changes).items() if count > 1]
    assert not twice, f"{len(twice)} changes came twice, such as {twice[:5]}"
    found: dict[int, int] = {}
    for vertex, component in changes:
        found[vertex] = min(component, found.get(vertex, component))
    return found


def test_collatz(runs: Runs) -> None:
    lines = runs.job("--no-progress", LOOPS / "collatz.py", "--up-to", "30").succeed().splitlines()
    found = dict(line.rpartition("> ")[2].removesuffix(" steps").split(": ") for line in lines)
    assert len(found) == 29
    assert (found["2"], found["27"], found["30"]) == ("1", "111", "18")


@pytest.mark.long
def test_connected_components(runs: Runs, tmp_path: Path) -> None:
    graph = networkx.gnm_random_graph(400, 380, seed=3)
    write_edges(graph, tmp_path / "edges", 3)
    runs.job(LOOPS / "connected_components.py", "--edges", tmp_path / "edges", "--output", tmp_path / "out").succeed()
    assert last_components(list(visible_lines(tmp_path / "out"))) == components(graph)


@pytest.mark.long
def test_pagerank(runs: Runs, tmp_path: Path) -> None:
    vertices = 60
    graph = networkx.DiGraph(networkx.gnm_random_graph(vertices, 200, seed=5, directed=True))
    graph.add_edges_from((v, (v + 1) % vertices) for v in range(vertices))
    write_edges(graph, tmp_path / "edges", 5)
    runs.job(
        LOOPS / "pagerank.py", "--edges", tmp_path / "edges", "--vertices", vertices, "--output", tmp_path / "out"
    ).succeed()
    found: dict[int, float] = {}
    for line in visible_lines(tmp_path / "out"):
        vertex, rank = line.split()
        found[int(vertex)] = max(float(rank), found.get(int(vertex), 0.0))
    wanted = pageranks(graph)
    assert found.keys() == wanted.keys()
    assert max(abs(found[v] - wanted[v]) / wanted[v] for v in wanted) < 0.02


@pytest.mark.long
def test_components_of_a_large_graph_with_processes_killed(
    runs: Runs, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    seed = random.randrange(2**32)
    record_property("seed", seed)
    print(f"seed {seed}")  # shown when the test fails
    chance = random.Random(seed)
    graph = networkx.gnm_random_graph(VERTICES, EDGES, seed=11)
    write_edges(graph, tmp_path / "edges", 11)
    for victim in VICTIMS:
        kill(start(runs, tmp_path), victim, chance)
    start(runs, tmp_path).succeed()
    assert last_components(list(visible_lines(tmp_path / "out"))) == components(graph)


def start(runs: Runs, folder: Path) -> Run:
    return runs.job(
        "--log-format", "json", "--checkpoint-dir", folder / "checkpoint", "-p", 2,
        "-D", "datastream.epoch.max-records=20000", "-D", "spark.driver.memory=1g", "-D", "restart-strategy.type=none",
        LOOPS / "connected_components.py", "--edges", folder / "edges", "--output", folder / "out",
    )  # fmt: skip


def kill(run: Run, victim: str, chance: random.Random) -> None:
    """End one process of a run by SIGKILL, some epochs after its start."""
    wanted = chance.randint(2, 5)
    run.until(lambda: run.err.count('"event": "epoch"') >= wanted, f"epoch {wanted}")
    time.sleep(chance.random() / 2)
    run.kill(victim)
    assert run.wait() != 0, run.told()
    run.assert_gone()
