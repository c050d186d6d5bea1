"""The graph while it grows."""

from datastream.functions import OutputTag
from datastream.graph import Forward, Rebalance
from datastream.graph.builder import GraphBuilder, Node
from datastream.graph.operators import Map, Process, Union
from datastream.types import Types


def started() -> Node:
    return GraphBuilder().add(Process, "first", [], function=len, output_type=Types.INT())


def edges(builder: GraphBuilder) -> list[tuple[int, int]]:
    return [(source, target) for source, target, *_ in builder.edges]


def test_a_node_is_read_by_what_comes_next() -> None:
    first = started()
    second = first.partitioned(Rebalance()).then(Map, "second", function=len)
    assert (second.operator.name, second.partitioner) == ("second", Forward())
    assert first.builder.edges == [(first.id, second.id, Rebalance(), None)]
    assert str(second.operator.origin).startswith(__file__)


def test_a_change_is_seen_by_every_node_of_the_operator() -> None:
    first = started()
    other = first.partitioned(Rebalance())
    assert first.change(name="changed") is first
    assert other.operator.name == "changed"


def test_a_side_output_has_the_type_of_its_tag() -> None:
    first = started()
    side = Node(first.builder, first.id, tag=OutputTag("side", Types.STRING()))
    assert first.types == {"output_type": Types.INT(), "hinted": None}
    assert side.types == {"output_type": Types.STRING(), "hinted": None}
    side.then(Map, "reader", function=len)
    assert first.builder.edges[0][3] == side.tag


def test_what_is_made_meanwhile_is_taken_back() -> None:
    first = started()
    builder = first.builder
    with builder.undone():
        first.then(Map, "second", function=len)
        assert builder.unbuilt == {1}
    assert (list(builder.operators), builder.edges, builder.unbuilt) == ([0], [], {0})


def test_a_job_of_its_own_leaves_the_others_to_later_ones() -> None:
    first = started()
    builder = first.builder
    other = builder.add(Process, "other", [], function=len)
    with builder.own_job():
        builder.add(Union, "both", [first, first])
    assert builder.unbuilt == {other.id}
    assert edges(builder) == [(0, 2), (0, 2)]
