"""The plan of a job: what follows from its graph, which is what the runtime runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from datastream import Duration, OutputTag, ProcessFunction, StreamExecutionEnvironment, WatermarkStrategy
from datastream.api.environment import graph_of
from datastream.connectors import NumberSequenceSource
from datastream.connectors.collect_sink import CollectSink
from datastream.graph import JobGraph, Operator, Plan
from datastream.graph.drawing import to_svg
from datastream.graph.explain import explain
from datastream.runtime.program import JobSpec, Program

ODD = OutputTag("odd")
NO_WATERMARKS = WatermarkStrategy.no_watermarks()
WATERMARKS = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1))


class Parts(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


@pytest.fixture
def env():
    made = StreamExecutionEnvironment.get_execution_environment()
    made.set_parallelism(2)
    return made


def branching(env) -> JobGraph:
    """One source; a stream that parts twice, by branches and by a side output, and one exchange."""
    parts = env.from_source(NumberSequenceSource(0, 9), NO_WATERMARKS, "n").map(abs).name("abs").process(Parts())
    parts.name("parts").map(str).name("left").sink_to(CollectSink()).name("left out")
    parts.get_side_output(ODD).map(str).name("odd").sink_to(CollectSink()).name("odd out")
    parts.key_by(lambda n: n % 2).reduce(max).name("most").map(str).name("text").sink_to(CollectSink()).name("out")
    return graph_of(env, "branching")


def names(plan: Plan) -> list[list[str]]:
    return [[op.name for op in chain.operators] for chain in plan.chains]


def test_a_chain_holds_every_branch_up_to_exchanges_hosts_and_sinks(env):
    plan = Plan.of(branching(env))
    assert names(plan) == [
        ["Source: n", "abs", "parts", "left", "odd"],
        ["left out"],
        ["odd out"],
        ["most", "text"],
        ["out"],
    ]
    exits = [plan.operators[edge.target].name for edge in plan.chains[0].exits]
    assert sorted(exits) == ["left out", "most", "odd out"]


def test_chains_are_those_that_the_runtime_compiles(env):
    plan = Plan.of(branching(env))
    program = Program(JobSpec(plan.graph, "", "", {}))
    for chain in plan.chains:
        if chain.exits:
            behind = chain.head.hosted or not plan.inputs[chain.head.id]
            ports = program.chain(chain.head, behind).ports
            assert sorted(edge.id for edge in ports) == sorted(edge.id for edge in chain.exits)


def test_the_text_says_what_a_branch_inside_a_chain_reads(env):
    text = explain(Plan.of(branching(env)))
    odd = text.splitlines().index(next(line for line in text.splitlines() if "  odd  " in line))
    assert "<- forward from #2 parts, side output 'odd'" in text.splitlines()[odd + 1]


def test_every_edge_either_stays_or_leaves_by_a_port(env):
    plan = Plan.of(branching(env))
    leaving = [edge for edge in plan.edges.values() if edge.id not in plan.local]
    assert [plan.operators[edge.target].name for edge in leaving] == ["most"]
    assert all(plan.level_of[edge.source] != plan.level_of[edge.target] for edge in leaving)
    assert plan.local | plan.chain_ends == set(plan.edges)


def test_without_event_time_nothing_is_timed_or_remembered(env):
    plan = Plan.of(branching(env))
    assert not (plan.timing.timed or plan.timing.watermarked or plan.timing.awake)
    assert [level.stateful for level in plan.levels] == [False, True]


def test_watermarks_are_remembered_from_level_1_on(env):
    numbers = env.from_source(NumberSequenceSource(0, 9), WATERMARKS, "n")
    numbers.rebalance().process(Parts()).sink_to(CollectSink())
    plan = Plan.of(graph_of(env, "timed"))
    by_name = {op.name: op.id for op in plan.operators.values()}
    assert plan.timing.awake
    assert [level.stateful for level in plan.levels] == [False, True]
    assert plan.timing.combines == {by_name["PROCESS"]}
    assert plan.timing.origins[by_name["PROCESS"]] == (by_name["PROCESS"],)
    batch = Plan.of(replace(plan.graph, batch=True))
    assert not batch.timing.watermarked and [level.stateful for level in batch.levels] == [False, False]


def test_subtasks_and_key_groups_are_the_jobs_unless_the_operator_has_its_own(env):
    numbers = env.from_source(NumberSequenceSource(0, 9), NO_WATERMARKS, "n")
    numbers.key_by(abs).reduce(max).set_parallelism(3).set_max_parallelism(64).sink_to(CollectSink())
    plan = Plan.of(graph_of(env, "widths"))
    assert (list(plan.subtasks.values()), list(plan.key_groups.values())) == ([2, 3, 2], [128, 64, 128])
    assert plan.width == 3


def test_paths_that_part_and_meet_again_are_planned_at_once(env):
    stream = env.from_source(NumberSequenceSource(0, 9), WATERMARKS, "n").rebalance().map(abs)
    for _ in range(60):
        stream = stream.map(str).union(stream.map(int))
    stream.process(Parts()).sink_to(CollectSink())
    plan = Plan.of(graph_of(env, "doubled"))
    assert plan.timing.sources[len(plan.operators) - 1] == {plan.sources[0].id}


def every_kind() -> list[type[Operator]]:
    def below(kind: type[Operator]) -> list[type[Operator]]:
        return [kind, *(found for sub in kind.__subclasses__() for found in below(sub))]

    return [kind for kind in below(Operator) if "kind" in vars(kind)]


def test_kinds_are_what_uids_and_checkpoints_know_them_by():
    assert sorted(kind.kind for kind in every_kind()) == [
        "async",
        "block_calc",
        "broadcast_process",
        "calc",
        "changelog_normalize",
        "co_process",
        "feedback",
        "filter",
        "flat_map",
        "group_aggregate",
        "iterate",
        "keyed_broadcast_process",
        "keyed_co_process",
        "keyed_process",
        "local_aggregate",
        "map",
        "match_recognize",
        "over_aggregate",
        "process",
        "process_table",
        "rank",
        "reduce",
        "row_window_aggregate",
        "session_table",
        "sink",
        "sink_materialize",
        "sort_limit",
        "source",
        "table_interval_join",
        "table_join",
        "temporal_join",
        "timestamps",
        "top_n",
        "union",
        "window",
        "window_aggregate",
        "window_join",
    ]


def test_the_picture_says_what_a_branch_inside_a_chain_reads(env):
    assert "from parts, odd" in to_svg(Plan.of(branching(env)))
