"""The plan as text, JSON and picture, on graphs built by hand."""

from __future__ import annotations

import json
from xml.etree import ElementTree as Xml

import pytest

from datastream.connectors import NumberSequenceSource
from datastream.connectors.discard_sink import DiscardingSink
from datastream.functions import OutputTag
from datastream.graph import Broadcast, Edge, Hash, JobGraph, Operator, Origin, Plan, Rebalance
from datastream.graph.drawing import to_svg
from datastream.graph.explain import explain, to_json
from datastream.graph.operators import CoProcess, Filter, Map, Reduce, Sink, Source
from datastream.graph.plan_data import plan_data

SVG = "{http://www.w3.org/2000/svg}"
LONG = "payments from the very long named topic of the accounting department & others, read from <earliest>"


RUN: dict[type[Operator], object] = {Source: NumberSequenceSource(0, 9), Sink: DiscardingSink()}


def op(id: int, kind: type[Operator], name: str, **more: object) -> Operator:
    return kind(id, name, RUN.get(kind, len), origin=Origin("/home/me/flights/job.py", 10 + id), **more)  # type: ignore[call-arg,arg-type]


@pytest.fixture
def graph() -> JobGraph:
    return JobGraph(
        "flights",
        (
            op(0, Source, "flights"),
            op(1, Map, "parse"),
            op(2, Filter, "departed"),
            op(3, Reduce, "by carrier", uid="carrier-statistics"),
            op(4, Map, "to CSV"),
            op(5, Sink, "files"),
            op(6, Sink, "late"),
        ),
        (
            Edge(0, 0, 1),
            Edge(1, 1, 2),
            Edge(2, 2, 3, Hash(len)),
            Edge(3, 3, 4),
            Edge(4, 4, 5),
            Edge(5, 3, 6, tag=OutputTag("late-records")),
        ),
        parallelism=4,
    )


def test_chains_end_at_exchanges_and_sinks(graph: JobGraph) -> None:
    assert [[o.id for o in chain.operators] for chain in Plan.of(graph).chains] == [[0, 1, 2], [3, 4], [5], [6]]


@pytest.mark.parametrize(
    ("first", "second"),
    [({"chain_next": False}, {}), ({}, {"chain": False}), ({}, {"parallelism": 2})],
)
def test_operators_that_may_not_be_fused_are_not(first: dict[str, object], second: dict[str, object]) -> None:
    job = JobGraph("j", (op(0, Source, "s", **first), op(1, Map, "m", **second)), (Edge(0, 0, 1),))
    assert len(Plan.of(job).chains) == 2


def test_text_names_levels_partitioners_state_and_origin(graph: JobGraph) -> None:
    text = explain(Plan.of(graph))
    assert "Job 'flights' (streaming)" in text
    assert "2 levels, 1 exchange; parallelism 4, 128 key groups" in text
    first, second = text.split("Level 1")
    assert "keeps offsets, /home/me/flights/job.py:10" in first
    assert second.startswith(": keeps state by key")
    assert "hash from #2 departed" in second
    assert "uid carrier-statistics" in second
    assert "side output 'late-records'" in second


def test_text_has_every_operator_once(graph: JobGraph) -> None:
    rows = [line for line in explain(Plan.of(graph)).splitlines() if line.startswith("  ") and " uid " in line]
    assert len(rows) == len(graph.operators)


def test_json_is_flinks_plan_format(graph: JobGraph) -> None:
    nodes = json.loads(to_json(Plan.of(graph)))["nodes"]
    assert nodes[0] == {
        "id": 0,
        "type": "Source: flights",
        "pact": "Data Source",
        "contents": "Source: flights",
        "parallelism": 4,
    }
    assert nodes[3]["predecessors"] == [{"id": 2, "ship_strategy": "HASH", "side": "second"}]
    assert nodes[5]["pact"] == "Data Sink"


def test_json_tells_two_inputs_apart() -> None:
    job = JobGraph(
        "two",
        (op(0, Source, "a"), op(1, Source, "b"), op(2, CoProcess, "join")),
        (Edge(0, 0, 2, Rebalance()), Edge(1, 1, 2, Broadcast())),
    )
    sides = [(p["ship_strategy"], p["side"]) for p in json.loads(to_json(Plan.of(job)))["nodes"][2]["predecessors"]]
    assert sides == [("REBALANCE", "first"), ("BROADCAST", "second")]


def texts(graph: JobGraph) -> list[str]:
    return [node.text or "" for node in Xml.fromstring(to_svg(Plan.of(graph))).iter(f"{SVG}text")]


def test_picture_shows_names_levels_and_partitioners(graph: JobGraph) -> None:
    shown = texts(graph)
    assert {o.name for o in graph.operators} <= set(shown)
    assert {"level 0", "hash", "forward · late-records", "×4"} <= set(shown)
    assert any(text.startswith("level 1") for text in shown)


def test_picture_takes_long_names_and_keeps_them_whole_as_a_title() -> None:
    job = JobGraph("long", (op(0, Source, LONG), op(1, Sink, "s" * 200)), (Edge(0, 0, 1),))
    assert max(len(text) for text in texts(job) if "·" not in text) <= 34
    assert LONG in (to_svg(Plan.of(job)).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


def test_boxes_of_the_picture_do_not_overlap(graph: JobGraph) -> None:
    boxes = [
        tuple(float(node.get(key, "0")) for key in ("x", "y", "width", "height"))
        for node in Xml.fromstring(to_svg(Plan.of(graph))).iter(f"{SVG}rect")
        if node.get("stroke") == "#cbd5e1"
    ]
    assert len(boxes) == len(Plan.of(graph).chains)
    for i, (ax, ay, aw, ah) in enumerate(boxes):
        for bx, by, bw, bh in boxes[i + 1 :]:
            assert ax + aw <= bx or bx + bw <= ax or ay + ah <= by or by + bh <= ay


def test_a_graph_without_edges_can_be_shown() -> None:
    job = JobGraph("one", (op(0, Source, "only"),), ())
    assert "only" in explain(Plan.of(job))
    assert "only" in texts(job)


# -- as data ---------------------------------------------------------------------------------------------


def test_the_data_has_all_operators_and_edges(graph: JobGraph) -> None:
    data = json.loads(json.dumps(plan_data(Plan.of(graph))))
    assert (data["name"], data["batch"], data["parallelism"]) == ("flights", graph.batch, graph.parallelism)
    nodes = {node["id"]: node for node in data["nodes"]}
    assert [nodes[id]["name"] for id in sorted(nodes)] == [op.name for op in graph.operators]
    assert nodes[3]["uid"] == "carrier-statistics" and nodes[3]["keeps"] == "state by key"
    assert nodes[0]["origin"] == "job.py:10" and nodes[0]["predecessors"] == []
    came = {(each["id"], node["id"]) for node in data["nodes"] for each in node["predecessors"]}
    assert came == {(edge.source, edge.target) for edge in graph.edges}
    drawn = {(edge["source"], edge["target"]) for edge in data["layout"]["edges"]}
    inside = {pair for pair in came if nodes[pair[0]]["chain"] == nodes[pair[1]]["chain"]}
    assert drawn == came - inside
    tagged = [edge for edge in graph.edges if edge.tag is not None]
    assert {each["side_output"] for node in data["nodes"] for each in node["predecessors"]} == {
        None,
        *(edge.tag.tag_id for edge in tagged if edge.tag is not None),
    }


def test_the_data_is_the_drawing(graph: JobGraph) -> None:
    """The same boxes, but for the corner that they are measured from."""
    plan = Plan.of(graph)
    layout = plan_data(plan)["layout"]
    svg = Xml.fromstring(to_svg(plan))
    frames = {
        tuple(round(float(rect.attrib[name]), 1) for name in ("x", "y", "width", "height"))
        for rect in svg.iter(f"{SVG}rect")
        if rect.get("stroke") == "#cbd5e1"
    }
    boxes = {(round(c["x"] + 28, 1), round(c["y"] + 96, 1), c["width"], c["height"]) for c in layout["chains"]}
    assert boxes == frames
    for chain in layout["chains"]:
        assert chain["x"] >= 0 and chain["x"] + chain["width"] <= layout["width"]
        assert chain["y"] >= 0 and chain["y"] + chain["height"] <= layout["height"]
        assert sum(op["height"] for op in chain["operators"]) == pytest.approx(chain["height"])
        assert chain["operators"][0]["y"] == chain["y"]
    levels = layout["levels"]
    assert levels[0]["x"] == 0 and levels[-1]["x"] + levels[-1]["width"] == pytest.approx(layout["width"], abs=0.2)
    assert all(len(edge["points"]) % 2 == 0 for edge in layout["edges"])
