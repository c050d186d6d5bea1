"""One generated Python function for each fused chain.

A chain of map, filter, flat_map and process becomes one loop with a call a step, so that an operator costs
about what its function costs. Branches become several appends. The line that raised names the operator, and
the frame's locals hold the record, so errors cost nothing until they happen.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from datastream.codegen import SourceText, generated_frames
from datastream.errors import NO_RECORD
from datastream.functions import OutputTag
from datastream.graph import Custom, Edge, Hash, Operator, Plan
from datastream.graph.operators import Calc, Filter, Map, Process, Sink, Source, StampedCalc, TimedCalc, Union
from datastream.types import TypeInformation, Types
from datastream.types.checking import NO_TEST_NEEDED, Tests, fitter
from datastream.types.conversion import COERCE, FORM, RESULTS, Rules
from datastream.types.received import received

from .tally import INPUT, Tally

#: Loops and conditions that the loop over records nests; Python itself allows 20 loops.
MAX_NESTING = 11
#: Results that one generated function computes; a longer chain continues in another function.
MAX_STEPS = 150
#: Types whose serializers in Flink take None for a record.
NULLABLE = (Types.STRING(), Types.BIG_DEC(), Types.SQL_DATE(), Types.SQL_TIME(), Types.INSTANT())


@dataclass(frozen=True)
class Step:
    """What a generated line does: for error messages.

    Attributes:
        operator: Whose work it is.
        record: The variable that holds the record.
        what: Which part of the operator runs.
    """

    operator: Operator
    record: str
    what: str = "function"


@dataclass(frozen=True)
class Chain:
    """A generated function and what is needed to route its results and explain its errors.

    Attributes:
        head: Id of the operator that it begins with, or after.
        run: (block of records, their timestamps or None) -> for each port (records, keys or None, timestamps or None).
        ports: The edges that leave the chain, in the order of the results.
        context: What its process functions get; its `watermark` is event time so far.
        timed: It wants the timestamps of the records.
        tally: What its operators received and emitted; None: not measured.
    """

    head: int
    run: Callable[[list[Any], Any], list[tuple[list[Any], list[Any] | None, list[int | None] | None]]]
    ports: list[Edge]
    context: Any = None
    timed: bool = False
    tally: Tally | None = None

    def failed_step(self, trace: TracebackType | None) -> tuple[Step, Any, TracebackType | None] | None:
        """The step that raised, its record, and the traceback from the user's function on."""
        for entry, step in generated_frames(trace):
            if isinstance(step, Step):
                return step, entry.tb_frame.f_locals.get(step.record, NO_RECORD), entry.tb_next
        return None


@dataclass(frozen=True)
class _Untested:
    """What a value of a variable is to be tested for where it leaves the chain.

    Attributes:
        operator: Gave it.
        kind: Its declared type.
        what: Which of the operator's types that is.
        only_null: It has been tested, but for None.
    """

    operator: Operator
    kind: TypeInformation
    what: str
    only_null: bool = False


class _Writer:
    """Writes the body of the loop over records.

    Attributes:
        code: Where it goes.
        ports: The edges that leave the chain.
        calculates: There is code of table plans in it.
    """

    def __init__(self, plan: Plan, context: Any, check: str, timed: Container[int], tally: Tally | None) -> None:
        self.plan = plan
        self.tally = tally
        self.timed = timed
        self.check = check
        self.context = context
        self.code = SourceText()
        self.ports: list[Edge] = []
        self.counters: list[str] = []
        self.values = 0
        self.calculates = False

    def _value(self) -> str:
        self.values += 1
        return self.code.variable("v")

    def operator(self, op: Operator, value: str, untested: _Untested | None = None) -> str | None:
        """The code that applies an operator to a value and continues with what comes out.

        Args:
            op: The operator.
            value: The variable that holds the value.
            untested: What the value has not been tested for; an operator that hands it on leaves it so.

        Returns:
            An expression for how many values the operator has got at the end of a block, where what follows it tells.
        """
        if isinstance(op, Union):
            return self.outputs(op, value, untested=untested)
        if isinstance(op, Calc):
            return self.calc(op, value)
        code, step = self.code, Step(op, value)
        name = code.bind(op.user_code, "f")
        if isinstance(op, Filter):
            with code.block(f"if {name}({value})", step):
                self.outputs(op, value, untested=untested)
            return None
        result = self._value()
        if isinstance(op, Map):
            code.line(f"{result} = {name}({value})", step)
            return self.results(op, result)
        call = f"{name}({value})"
        if isinstance(op, Process):
            context = code.bind(self.context, "context")
            call = f"{name}({value}, {context})"
            if self.timed:
                code.line(f"{context}.time = t")
        with code.block(f"for {result} in () if (r := {call}) is None else r", step):
            self.results(op, result)
        return None

    def calc(self, op: Calc, value: str) -> str | None:
        """The code of a table plan, inlined; as `operator`."""
        code, row, depth = self.code, op.code, self.code.depth
        self.calculates = True
        code.bound.update(row.bound)
        code.line(f"{row.record} = {value}")
        if isinstance(op, TimedCalc) and not self.timed:
            code.line("t = None")
        before = code.variable("t") if isinstance(op, StampedCalc) and self.timed else None
        if before is not None:
            code.line(f"{before} = t")
        if row.reads_watermark:
            code.line(f"watermark = {code.bind(self.context, 'context')}.watermark")
        for line in row.lines:
            code.depth = depth + line.depth
            code.line(line.text, Step(op, value, line.what))
        code.depth = depth + row.depth
        result = self._value()
        code.line(f"{result} = {row.result}", Step(op, value))
        count = self.results(op, result)
        code.depth = depth
        if before is not None:  # whoever else gets the record that came in
            code.line(f"t = {before}")
        return None if row.depth else count

    def results(self, op: Operator, value: str) -> str | None:
        """The code that takes what an operator made: to a side output, or tested against the declared type and on.

        Returns:
            As `operator`, of the values that were made.
        """
        code = self.code
        if not (op.splits or (isinstance(op, Source) and op.source.produced.side_tags)):
            return self._main_result(op, value)
        tag = code.bind(OutputTag, "tag")
        with code.block(f"if type({value}) is tuple and len({value}) == 2 and type({value}[0]) is {tag}"):
            self.side_outputs(op, value)
        with code.block("else"):
            self._main_result(op, value)
        return None

    def _main_result(self, op: Operator, value: str) -> str | None:
        untested = self.declared(op, None if op.fits else op.output_type, "declared type of the results")
        if isinstance(op, Source):
            self.test(untested, value)
            untested = None
            self.receive(op.output_type, value)
        elif op.serialized:
            self.test(untested, value, untested is not None and untested.kind in NULLABLE)
            untested = None
            self.receive(op.output_type, value)
        return self.outputs(op, value, untested=untested)

    def side_outputs(self, op: Operator, value: str) -> None:
        """The code that hands the value of a pair (tag, value) to the tag's consumers; without any it is dropped."""
        code = self.code
        code.line("pass")
        for tag in self.plan.side_outputs[op.id]:
            id = tag.tag_id
            content = self._value()
            with code.block(f"if {value}[0].tag_id == {id!r}"):
                code.line(f"{content} = {value}[1]")
                untested = self.declared(op, tag.type_info, f"declared type of the side output '{id}'")
                self.outputs(op, content, tag, untested)

    def declared(self, op: Operator, kind: TypeInformation | None, what: str) -> _Untested | None:
        """What a value that an operator gave is to be tested for."""
        return None if kind is None or self.check == "off" else _Untested(op, kind, what)

    def test(self, untested: _Untested | None, value: str, null_passes: bool = False) -> None:
        """The code that makes sure that a value fits its declared type.

        Args:
            untested: The type; None: it fits.
            value: The variable that holds the value.
            null_passes: None is left as it is.
        """
        if untested is None:
            return
        fits = f"{value} is not None" if untested.only_null else Tests(self.code).fits(value, untested.kind)
        if fits != NO_TEST_NEEDED and not (untested.only_null and null_passes):
            fit = self.code.bind(fitter(untested.kind, self._rules(untested.operator)), "fit")
            with self.code.block(f"if not ({fits}){f' and {value} is not None' if null_passes else ''}"):
                self.code.line(f"{value} = {fit}({value})", Step(untested.operator, value, untested.what))

    def _rules(self, op: Operator) -> Rules:
        if self.check == "coerce":
            return COERCE
        of_functions = self.check == "flink" and not (isinstance(op, Source) or op.tested_first)
        return RESULTS if of_functions else FORM

    def receive(self, kind: TypeInformation | None, value: str) -> None:
        """The code that makes of a value what whoever receives it gets; see `datastream.types.received`."""
        become = None if self.check == "off" else received(kind)
        if become is not None:
            self.code.line(f"{value} = {self.code.bind(become)}({value})")

    def before(self, op: Operator) -> _Untested | None:
        """What the values that an operator gets were not tested for, where its chain was too long for one function."""
        edges = self.plan.inputs[op.id]
        if self.check != "flink" or len(edges) != 1 or edges[0].id in self.plan.chain_ends:
            return None
        (edge,) = edges
        source = self.plan.operators[edge.source]
        if edge.tag is not None or len(self.plan.outputs[source.id]) > 1:
            return None
        if isinstance(source, (Filter, Union)):
            return self.before(source)
        if source.tested_first or source.fits:
            return None
        return self.declared(source, source.output_type, "declared type of the results")

    def outputs(
        self, op: Operator, value: str, tag: OutputTag | None = None, untested: _Untested | None = None
    ) -> str | None:
        """The code that hands a value to every consumer of one of an operator's outputs.

        As in Flink, the only function after another gets what that one gave, and the declared type counts where the
        value leaves the chain, or where streams part or leave by a side output. The other ways to check have it fit,
        or converted, at once.

        Returns:
            As `operator`, of the values that the output has given; None where it has no consumer.
        """
        wanted = None if tag is None else tag.tag_id
        edges = [e for e in self.plan.outputs[op.id] if (None if e.tag is None else e.tag.tag_id) == wanted]
        if not edges:
            self.code.line("pass")
            return None
        if untested is not None and (self.check != "flink" or op.tested_first):
            self.test(untested, value)
            untested = None
        elif untested is not None and not untested.only_null and (tag is not None or len(self.plan.outputs[op.id]) > 1):
            null_passes = untested.kind in NULLABLE
            self.test(untested, value, null_passes)
            untested = replace(untested, only_null=True) if null_passes else None
        count: str | None = None
        inside: list[int] = []
        for edge in edges:
            receiver = self.plan.operators[edge.target]
            if edge.id in self.plan.chain_ends:
                self.test(untested, value, untested is not None and _passes_null(edge, receiver, untested.kind))
                count = self.port(edge, value)
            elif self.code.depth >= MAX_NESTING or self.values >= MAX_STEPS:
                count = self.port(edge, value)
            else:
                inside.append(edge.target)
                if isinstance(receiver, Calc):
                    self.test(untested, value)
                count = self.operator(receiver, value, untested) or count
        if self.tally is None:
            return None
        if self.code.depth == 0:  # every record of the block comes here
            count = INPUT
        elif count is None:
            count = self.code.variable("n")
            self.counters.append(count)
            self.code.line(f"{count} += 1")
        self.tally.gives(op.id, count)
        for target in inside:
            self.tally.receives(target, count)
        return count

    def port(self, edge: Edge, value: str) -> str:
        """The code that hands a value to an edge that leaves the chain; an expression for how many it has got."""
        n = len(self.ports)
        self.ports.append(edge)
        code, partitioner = self.code, edge.partitioner
        if isinstance(partitioner, (Hash, Custom)):
            target = self.plan.operators[edge.target]
            key = f"q{n}"
            code.line(f"{key} = {code.bind(partitioner.key, 'k')}({value})", Step(target, value, "key selector"))
            if partitioner.key_type is not None and self.check != "off":
                with self.code.block(f"if {key} is not None"):
                    self.code.line("pass")
                    self.test(
                        _Untested(target, partitioner.key_type, "declared type of the key (key_type of key_by)"), key
                    )
            code.line(f"s{n}.append({key})")
        code.line(f"o{n}.append({value})")
        if edge.id in self.timed:
            code.line(f"u{n}.append(t)")
        return f"len(o{n})"

    def lists(self) -> None:
        """The code that makes the lists of each port: records, keys or None, timestamps or None."""
        for n, edge in enumerate(self.ports):
            keyed = isinstance(edge.partitioner, (Hash, Custom))
            self.code.line(f"o{n} = []")
            self.code.line(f"s{n} = {'[]' if keyed else None}")
            self.code.line(f"u{n} = {'[]' if edge.id in self.timed else None}")
        for counter in self.counters:
            self.code.line(f"{counter} = 0")

    def sums(self) -> None:
        """The code that adds the counts of a block to the tally."""
        if self.tally is not None:
            sums = self.code.bind(self.tally.sums, "sums")
            for expression in self.tally.sums:
                self.code.line(f"{sums}[{expression!r}] += {expression}")


def _passes_null(edge: Edge, target: Operator, kind: TypeInformation) -> bool:
    """Whether None may leave a chain for a declared type: where Flink's serializers write it, or it goes with a key."""
    if isinstance(target, Sink):
        return False
    return kind in NULLABLE or isinstance(edge.partitioner, Hash)


def compile_chain(
    plan: Plan,
    start: Operator,
    *,
    outputs_only: bool,
    context: Any,
    check: str = "flink",
    timed: Container[int] = (),
    measured: bool = False,
) -> Chain:
    """Generate the function of a chain.

    Args:
        plan: Of the job.
        start: The operator at its head.
        outputs_only: The head itself is run elsewhere (a source, a keyed operator); start after it.
        context: What process functions get as their context.
        check: What to do with values that do not fit their declared type: ``strict``, ``coerce`` or ``off``.
        timed: Ids of the edges that carry timestamps; empty when the chain is given none.
        measured: Count what each operator gets and emits.
    """
    tally = Tally() if measured else None
    if tally is not None and not outputs_only:
        tally.receives(start.id, INPUT)
    writer = _Writer(plan, context, check, timed, tally)
    code = writer.code
    with code.function("def chain(block, times)"):
        with code.collected() as body:
            if outputs_only:
                writer.results(start, "v0")
            else:
                writer.operator(start, "v0", writer.before(start))
        if not code.bound and not writer.calculates:  # nothing is called
            return _passing(start.id, writer.ports, timed, context, tally)
        writer.lists()
        with code.block("for v0, t in zip(block, times)" if timed else "for v0 in block"):
            code.insert(body)
        writer.sums()
        code.line(f"return [{', '.join(f'(o{n}, s{n}, u{n})' for n in range(len(writer.ports)))}]")
    title = f"chain of {start.name} #{start.id}{' outputs' if outputs_only else ''}"
    return Chain(start.id, code.compiled("chain", title), writer.ports, context, bool(timed), tally)


def _passing(head: int, ports: list[Edge], timed: Container[int], context: Any, tally: Tally | None) -> Chain:
    """A chain that only hands records on."""
    keep = [edge.id in timed for edge in ports]
    if tally is not None:
        tally.pass_all()
    return Chain(
        head,
        lambda block, times: [(block, None, times if kept else None) for kept in keep],
        ports,
        context,
        bool(timed),
        tally,
    )
