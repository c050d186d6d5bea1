"""One generated Python function for each fused chain.

A chain of map, filter, flat_map and process becomes one loop with a call a step, so that an operator costs
about what its function costs. Branches become several appends. The line that raised tells the operator, and
the frame's locals hold the record, so errors cost nothing until they happen.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from datastream.functions import OutputTag
from datastream.graph import Custom, Edge, Hash, JobGraph, Kind, Operator
from datastream.types import TypeInformation
from datastream.types.checking import NO_TEST_NEEDED, Tests, fitter

#: Loops and conditions that one generated function nests; Python itself allows 20 loops.
MAX_NESTING = 14
#: Results that one generated function computes; a longer chain goes on in another function.
MAX_STEPS = 150


@dataclass(frozen=True)
class Step:
    """What a generated line does: for error messages."""

    operator: Operator
    record: str
    what: str = "function"


@dataclass
class Chain:
    """A generated function and what is needed to place its results and explain its errors.

    Attributes:
        run: (block of records, their timestamps or None) -> for each port (records, keys or None, timestamps or None).
        ports: The edges that leave the chain, in the order of the results.
        source: The generated text.
        steps: Line number -> what the line does.
        context: What its process functions get; its `watermark` is event time so far.
        timed: It wants the timestamps of the records.
    """

    run: Callable[[list[Any], Any], list[tuple[list[Any], list[Any] | None, list[int | None] | None]]]
    ports: list[Edge]
    source: str
    filename: str
    steps: dict[int, Step] = field(default_factory=dict)
    context: Any = None
    timed: bool = False

    def blame(self, trace: TracebackType | None) -> tuple[Step, Any, TracebackType | None] | None:
        """The step that raised, its record, and the traceback from the user's function on."""
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.filename and trace.tb_lineno in self.steps:
                step = self.steps[trace.tb_lineno]
                return step, trace.tb_frame.f_locals.get(step.record), trace.tb_next
            trace = trace.tb_next
        return None


class _Writer:
    """Collects the generated lines, the functions they call and the ports they fill."""

    def __init__(
        self, graph: JobGraph, is_head: Callable[[Edge], bool], context: Any, check: str, timed: Container[int]
    ) -> None:
        self.graph = graph
        self.timed = timed
        self.check = check
        self.is_head = is_head
        self.lines: list[str] = []
        self.steps: dict[int, Step] = {}
        self.bound: dict[str, Any] = {"ctx": context}
        self.ports: list[Edge] = []
        self.values = 0
        self.tests = 0

    def emit(self, indent: int, text: str, step: Step | None = None) -> None:
        self.lines.append("    " * indent + text)
        if step is not None:
            self.steps[len(self.lines)] = step

    def operator(self, op: Operator, value: str, indent: int) -> None:
        """The code that applies an operator to a value and goes on with what comes out."""
        if op.kind is Kind.UNION:
            self.outputs(op, value, indent)
            return
        name = f"f{op.id}"
        self.bound[name] = op.function
        step = Step(op, value)
        if op.kind is Kind.FILTER:
            self.emit(indent, f"if {name}({value}):", step)
            self.outputs(op, value, indent + 1)
            return
        self.values += 1
        result = f"v{self.values}"
        if op.kind is Kind.MAP:
            self.emit(indent, f"{result} = {name}({value})", step)
            self.results(op, result, indent)
        else:
            if op.kind is Kind.PROCESS and self.timed:
                self.emit(indent, "ctx.time = t")
            call = f"{name}({value}, ctx)" if op.kind is Kind.PROCESS else f"{name}({value})"
            self.emit(indent, f"for {result} in () if (r := {call}) is None else r:", step)
            self.results(op, result, indent + 1)

    def results(self, op: Operator, value: str, indent: int) -> None:
        """The code that takes what an operator made: to a side output, or tested against the declared type and on."""
        if op.kind.splits or (op.kind is Kind.SOURCE and op.function.side_tags):
            self.bound["OutputTag"] = OutputTag
            pair = f"type({value}) is tuple and len({value}) == 2 and type({value}[0]) is OutputTag"
            self.emit(indent, f"if {pair}:")
            self.side_outputs(op, value, indent + 1)
            self.emit(indent, "else:")
            indent += 1
        if not op.fits:
            self.test(op, op.output_type, value, indent, "declared type of the results")
        self.outputs(op, value, indent)

    def side_outputs(self, op: Operator, value: str, indent: int) -> None:
        """The code that hands the value of a pair (tag, value) to the tag's consumers; without any it is dropped."""
        self.emit(indent, "pass")
        tags = {edge.tag.tag_id: edge.tag for edge in self.graph.outputs(op.id) if edge.tag is not None}
        for id, tag in tags.items():
            self.values += 1
            content = f"v{self.values}"
            self.emit(indent, f"if {value}[0].tag_id == {id!r}:")
            self.emit(indent + 1, f"{content} = {value}[1]")
            self.test(op, tag.type_info, content, indent + 1, f"declared type of the side output '{id}'")
            self.outputs(op, content, indent + 1, tag)

    def test(self, op: Operator, kind: TypeInformation | None, value: str, indent: int, what: str) -> None:
        """The code that makes sure that a value fits the type that was declared for it."""
        if kind is None or self.check == "off":
            return
        self.tests += 1
        tests = Tests(f"t{self.tests}_")
        fits = tests.fits(value, kind)
        if fits == NO_TEST_NEEDED:
            return
        self.bound.update(tests.names)
        name = f"fit{self.tests}"
        self.bound[name] = fitter(kind, self.check == "coerce")
        self.emit(indent, f"if not ({fits}):")
        self.emit(indent + 1, f"{value} = {name}({value})", Step(op, value, what))

    def outputs(self, op: Operator, value: str, indent: int, tag: OutputTag | None = None) -> None:
        """The code that hands a value to every consumer of one of an operator's outputs."""
        wanted = None if tag is None else tag.tag_id
        edges = [e for e in self.graph.outputs(op.id) if (None if e.tag is None else e.tag.tag_id) == wanted]
        for edge in edges:
            if self.is_head(edge) or indent >= MAX_NESTING or self.values >= MAX_STEPS:
                self.port(edge, value, indent)
            else:
                self.operator(self.graph.operator(edge.target), value, indent)
        if not edges:
            self.emit(indent, "pass")

    def port(self, edge: Edge, value: str, indent: int) -> None:
        n = len(self.ports)
        self.ports.append(edge)
        if isinstance(edge.partitioner, (Hash, Custom)):
            self.bound[f"k{n}"] = edge.partitioner.key
            target = self.graph.operator(edge.target)
            self.emit(indent, f"q{n} = k{n}({value})", Step(target, value, "key selector"))
            self.test(
                target, edge.partitioner.key_type, f"q{n}", indent, "declared type of the key (key_type of key_by)"
            )
            self.emit(indent, f"c{n}(q{n})")
        self.emit(indent, f"a{n}({value})")
        if edge.id in self.timed:
            self.emit(indent, f"b{n}(t)")


def compile_chain(
    graph: JobGraph,
    start: Operator,
    *,
    outputs_only: bool,
    is_head: Callable[[Edge], bool],
    context: Any,
    check: str = "strict",
    timed: Container[int] = (),
) -> Chain:
    """Generate the function of a chain.

    Args:
        graph: The job.
        start: The operator at its head.
        outputs_only: The head itself is run elsewhere (a source, a keyed operator); begin behind it.
        is_head: Whether an edge leaves the chain.
        context: What process functions get as their context.
        check: What to do with values that do not fit their declared type: ``strict``, ``coerce`` or ``off``.
        timed: Ids of the edges that carry timestamps; empty when the chain is given none.
    """
    w = _Writer(graph, is_head, context, check, timed)
    body = _Writer(graph, is_head, context, check, timed)
    (body.results if outputs_only else body.operator)(start, "v0", 3)
    plain = {"a", "b", "p"}  # lines that only append
    if all(line.strip()[0] in plain for line in body.lines):
        return _passing(start, body.ports, timed, context)
    w.emit(0, f"def make({', '.join(body.bound)}):")
    w.emit(1, "def chain(block, times):")
    for n, edge in enumerate(body.ports):
        w.emit(2, f"o{n} = []")
        w.emit(2, f"a{n} = o{n}.append")
        keyed = isinstance(edge.partitioner, (Hash, Custom))
        w.emit(2, f"s{n} = []" if keyed else f"s{n} = None")
        if keyed:
            w.emit(2, f"c{n} = s{n}.append")
        w.emit(2, f"u{n} = []" if edge.id in timed else f"u{n} = None")
        if edge.id in timed:
            w.emit(2, f"b{n} = u{n}.append")
    w.emit(2, "for v0, t in zip(block, times):" if timed else "for v0 in block:")
    offset = len(w.lines)
    w.lines += body.lines
    w.emit(2, f"return [{', '.join(f'(o{n}, s{n}, u{n})' for n in range(len(body.ports)))}]")
    w.emit(1, "return chain")
    source = "\n".join(w.lines) + "\n"
    filename = f"<chain of {start.name} #{start.id}{' outputs' if outputs_only else ''}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), scope)
    return Chain(
        run=scope["make"](**body.bound),
        ports=body.ports,
        source=source,
        filename=filename,
        steps={line + offset: step for line, step in body.steps.items()},
        context=context,
        timed=bool(timed),
    )


def _passing(start: Operator, ports: list[Edge], timed: Container[int], context: Any) -> Chain:
    """A chain that only hands records on."""
    keep = [edge.id in timed for edge in ports]
    return Chain(
        run=lambda block, times: [(block, None, times if kept else None) for kept in keep],
        ports=ports,
        source="",
        filename=f"<chain {start.id}>",
        context=context,
        timed=bool(timed),
    )
