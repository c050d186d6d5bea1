"""What runs, as a tree of text: Flink's names of nodes, with exchanges and the kinds of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from datastream.config.duration_text import duration_text
from datastream.graph.operators import ChangelogNormalize, IntervalJoin, WindowJoin
from datastream.graph.operators import GroupAggregate as GroupOperator
from datastream.graph.operators import Rank as RankOperator
from datastream.graph.operators import WindowAggregate as WindowOperator
from datastream.graph.operators.operator import Operator
from datastream.table.execution.expression_text import ExpressionText, type_text
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.lowering.changelogs import ONLY_NEW, Kinds, emitter, kinds, mode
from datastream.table.lowering.join_keys import join_keys
from datastream.table.lowering.lowering import Lowering
from datastream.table.plan.explain_match import match_text
from datastream.table.plan.expression_trees import conjuncts, replace_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.plan_text import draw_below, frame_text, predict_text, process_text
from datastream.table.plan.relations import (
    Aggregate,
    Correlate,
    Filter,
    FromChangelog,
    Join,
    Match,
    OverAggregate,
    Predict,
    ProcessTable,
    Project,
    Rank,
    Relation,
    RowFunction,
    Scan,
    SetOperation,
    Sort,
    StreamScan,
    ToChangelog,
    Values,
    Watermark,
    Window,
    WindowAggregate,
    WindowTable,
    distinct_names,
)
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin
from datastream.table.planner.windowed import Windowed, joined_windows, window_free, windowed

#: The kinds of rows that replace each other by a key.
_UPSERTS: Kinds = frozenset({0, 2, 3})


@dataclass(frozen=True)
class PlanNode:
    """A node of the tree.

    Attributes:
        name: ``GroupAggregate``.
        parts: What is in its brackets: ``groupBy=[k]``.
        changes: The kinds of its rows; None: it gives none.
        inputs: From left to right.
    """

    name: str
    parts: tuple[str, ...]
    changes: Kinds | None
    inputs: tuple[PlanNode, ...] = ()

    def lines(self, modes: bool = False) -> Iterator[str]:
        """The lines of the tree, the root first; `modes`: with the kinds of rows."""
        yield self.text(modes)
        for place, each in enumerate(self.inputs):
            yield from draw_below(each.lines(modes), last=place == len(self.inputs) - 1)

    def text(self, modes: bool = False) -> str:
        """The node's own line; `modes`: with the kinds of rows."""
        kinds_ = "NONE" if self.changes is None else mode(self.changes)
        return f"{self.name}({', '.join([*self.parts, *([f'changelogMode=[{kinds_}]'] if modes else [])])})"


class PhysicalPlan:
    """Makes the trees of relations that are lowered.

    Args:
        lowering: What has made their operators.
        text: Writes expressions.
        columns_of: Gives the names of all columns of a table.
    """

    def __init__(self, lowering: Lowering, text: ExpressionText, columns_of: Callable[[Scan], Sequence[str]]) -> None:
        self._lowering, self._text, self._columns_of = lowering, text, columns_of
        self._functions = lowering.context.functions
        self._renamed: dict[int, tuple[str, ...]] = {}
        self._nodes: dict[int, tuple[Relation, PlanNode]] = {}

    def node(self, relation: Relation) -> PlanNode:
        """The tree of a relation; the same object each time."""
        if id(relation) not in self._nodes:
            self._nodes[id(relation)] = relation, self._node(relation)
        return self._nodes[id(relation)][1]

    def _node(self, relation: Relation) -> PlanNode:
        match relation:
            case Project() | Filter():
                return self._calc(relation)
            case Scan() | StreamScan():
                return self._scan(relation)
            case Watermark():
                return self._watermark(relation)
            case Aggregate():
                return self._aggregate(relation)
            case WindowAggregate():
                return self._window_aggregate(relation)
            case WindowTable(window=window, partition=partition) if window.kind == "session":
                return self._made(relation, "WindowTableFunction", [self._windows(relation)], [partition])
            case Rank():
                return self._rank(relation)
            case OverAggregate(partition=partition):
                return self._made(relation, "OverAggregate", self._over(relation), [partition])
            case Match(partition=partition):
                name, _, rest = match_text(relation, lambda each: self._text.order([each])).partition("(")  # type: ignore[list-item]
                return self._made(relation, name, [rest[:-1]], [partition])
            case Join():
                return self._join(relation)
            case TemporalJoin():
                return self._temporal_join(relation)
            case LookupJoin(left=left):
                return PlanNode("LookupJoin", (_lookup(relation),), self._kinds(left), (self.node(left),))
            case SetOperation(kind="union", all=all_):
                union = self._made(relation, "Union", ["all=[true]", f"union=[{_listed(relation)}]"])
                return union if all_ else self._distinct(relation, union)
            case SetOperation(kind=kind, all=all_):
                every = range(len(relation.columns))
                parts = [f"all=[{str(all_).lower()}]", f"{kind}=[{_listed(relation)}]"]
                return self._made(relation, kind.capitalize(), parts, [every, every])
            case Sort():
                return self._sort(relation)
            case ProcessTable(tables=tables):
                by = [each.partition if each.partition else None for each in tables]
                return self._made(relation, "ProcessTableFunction", [process_text(relation)], by)
            case RowFunction(keys=keys):
                name = "GroupTableAggregate"
                return self._made(relation, name, [f"invocation=[{self._text.of(relation.call)}]"], [keys])
        name, parts = self._step(relation)
        return self._made(relation, name, parts)

    # -- steps over single rows --------------------------------------------------------------------------

    def _step(self, relation: Relation) -> tuple[str, list[str]]:
        match relation:
            case WindowTable():
                return "WindowTableFunction", [self._windows(relation)]
            case Correlate(call=call, kind=kind, condition=condition):
                parts = [f"invocation=[{self._text.of(call)}]", f"joinType=[{kind.upper()}]"]
                where = [] if condition is None else [f"where=[{self._text.of(condition)}]"]
                return "Correlate", [*parts, *where, f"select=[{_listed(relation)}]"]
            case Predict():
                return "MLPredictTableFunction", [predict_text(relation)]
            case ToChangelog() | FromChangelog():
                function = "TO_CHANGELOG" if isinstance(relation, ToChangelog) else "FROM_CHANGELOG"
                return "ProcessTableFunction", [
                    f"invocation=[{function}(TABLE(#0))]",
                    f"select=[{','.join(relation.names)}]",
                ]
            case Values(rows=rows):
                types = ", ".join(f"{type_text(each.type)} {each.name}" for each in relation.columns)
                tuples = ", ".join("{ " + ", ".join(map(_value, row)) + " }" for row in rows)
                return "Values", [f"type=[RecordType({types})]", f"tuples=[[{tuples}]]"]
        return type(relation).__name__, [f"select=[{_listed(relation)}]"]

    def _calc(self, relation: Relation) -> PlanNode:
        """Projections and conditions that follow each other, which are one operator."""
        made: list[Expression] = [Field(i, c.name, type=c.type) for i, c in enumerate(relation.columns)]
        conditions: list[Expression] = []
        below = relation
        while isinstance(below, Project | Filter) and self._melts(below, [*made, *conditions]):
            if isinstance(below, Filter):
                conditions = [*conjuncts(below.condition), *conditions]
            else:
                made = [replace_fields(each, below.expressions) for each in made]
                conditions = [replace_fields(each, below.expressions) for each in conditions]
            below = below.input
        names = self._names(below)
        texts = [self._text.of(each, names) for each in made]
        select = [
            text if text == c.name else f"{text} AS {c.name}" for text, c in zip(texts, relation.columns, strict=True)
        ]
        renamed = isinstance(below, Aggregate | WindowAggregate) and id(below) not in self._nodes
        if renamed and not conditions and _passes(made, len(names)):
            self._renamed[id(below)] = relation.names
            return self.node(below)
        if not conditions and select == list(names):
            return self.node(below)
        where = [f"where=[{self._text.all(conditions, names)}]"] if conditions else []
        return PlanNode("Calc", (f"select=[{', '.join(select)}]", *where), self._kinds(relation), (self.node(below),))

    def _melts(self, step: Project | Filter, above: Sequence[Expression]) -> bool:
        """Whether a step is part of the same text: what it computes is not written more than once then."""
        if isinstance(step, Filter):
            return True
        read = Counter(part.index for each in above for part in walk(each) if isinstance(part, Field))
        return not any(read[i] > 1 and not self._is_plain(each) for i, each in enumerate(step.expressions))

    def _is_plain(self, expression: Expression) -> bool:
        called = [self._functions.find(part.function) for part in walk(expression) if isinstance(part, Call)]
        return all(isinstance(each, Entry | AggregateEntry) and getattr(each, "deterministic", True) for each in called)

    def _scan(self, relation: Scan | StreamScan) -> PlanNode:
        fields = f"fields=[{_listed(relation)}]"
        if isinstance(relation, Scan):
            name, parts = "TableSourceScan", (f"table=[[{self._read(relation)}]]", fields)
        else:
            name, parts = "DataStreamScan", (f"stream=[{relation.stream}]", fields)
        operator = self._operator(relation)
        if isinstance(operator, ChangelogNormalize):
            return self._normalized(relation, operator, PlanNode(name, parts, _UPSERTS))
        return PlanNode(name, parts, self._kinds(relation))

    def _normalized(self, relation: Relation, operator: ChangelogNormalize, below: PlanNode) -> PlanNode:
        """Rows that replace each other by a key, as changes."""
        key = operator.name.partition("key=")[2].rstrip(")")
        exchange = PlanNode("Exchange", (f"distribution=[hash{key}]",), below.changes, (below,))
        return PlanNode("ChangelogNormalize", (f"key={key}",), self._kinds(relation), (exchange,))

    def _watermark(self, relation: Watermark) -> PlanNode:
        """A watermark; that of rows that replace each other is made before they are changes."""
        operator, below = self._operator(relation), relation.input
        text = (f"rowtime=[{relation.names[relation.column]}]", f"watermark=[{self._text.of(relation.expression)}]")
        if not isinstance(operator, ChangelogNormalize) or self._lowering.made(below) is not None:
            return PlanNode("WatermarkAssigner", text, self._kinds(relation), (self.node(below),))
        return self._normalized(
            relation, operator, PlanNode("WatermarkAssigner", text, _UPSERTS, (_as_upserts(self.node(below)),))
        )

    def _read(self, scan: Scan) -> str:
        """What is read of a table: its path, and what was pushed into it."""
        said = [*scan.path]
        if scan.predicates:
            listed = ", ".join(map(str, scan.predicates))
            said.append(f"filter=[{listed if len(scan.predicates) == 1 else f'and({listed})'}]")
        if scan.fields or (scan.wanted is not None and len(scan.wanted) < len(self._columns_of(scan))):
            said.append(f"project=[{', '.join(_parts_read(scan))}]")
        if scan.limit is not None:
            said.append(f"limit=[{scan.limit}]")
        return ", ".join(said)

    # -- operators with state ----------------------------------------------------------------------------

    def _aggregate(self, relation: Aggregate) -> PlanNode:
        keys = [relation.input.names[i] for i in relation.keys]
        select = f"select=[{', '.join([*keys, *self._calls(relation, relation.calls, len(keys))])}]"
        grouped = [f"groupBy=[{', '.join(keys)}]"] if keys else []
        operator = self._operator(relation)
        local = isinstance(operator, GroupOperator) and operator.parts
        return self._grouped(relation, "GroupAggregate", [*grouped, select], relation.keys, local)

    def _window_aggregate(self, relation: WindowAggregate) -> PlanNode:
        keys = [relation.input.names[i] for i in relation.keys]
        count = len(keys)
        named = zip(relation.properties, self._names(relation)[count + len(relation.calls) :], strict=False)
        last = [f"{kind}('w$) AS {name}" for kind, name in named]
        select = f"select=[{', '.join([*keys, *self._calls(relation, relation.calls, count), *last])}]"
        grouped = [f"groupBy=[{', '.join(keys)}]"] if keys else []
        window = f"window=[{_window(relation.window, relation.input.names)}]"
        operator = self._operator(relation)
        local = isinstance(operator, WindowOperator) and operator.parts
        return self._grouped(relation, "WindowAggregate", [*grouped, window, select], relation.keys, local)

    def _grouped(
        self, relation: Aggregate | WindowAggregate, name: str, parts: list[str], keys: Sequence[int], local: bool
    ) -> PlanNode:
        """An aggregate; `local`: each subtask aggregates what it has before rows are exchanged."""
        if not local:
            return self._made(relation, name, parts, [keys])
        below = self.node(relation.input)
        first = PlanNode(f"Local{name}", tuple(parts), ONLY_NEW, (below,))
        return PlanNode(
            f"Global{name}", tuple(parts), self._kinds(relation), (self._exchange(first, relation.input.names, keys),)
        )

    def _distinct(self, relation: SetOperation, below: PlanNode) -> PlanNode:
        """Each row once."""
        columns = _listed(relation)
        parts = (f"groupBy=[{columns}]", f"select=[{columns}]")
        changes = frozenset().union(*map(self._kinds, relation.inputs))
        exchange = self._by(replace(below, changes=changes), relation.names)
        return PlanNode("GroupAggregate", parts, self._kinds(relation), (exchange,))

    def _calls(self, relation: Relation, calls: Sequence[Call], first: int) -> list[str]:
        named = zip(calls, self._names(relation)[first:], strict=False)
        return [f"{self._text.of(call)} AS {name}" for call, name in named]

    def _names(self, relation: Relation) -> tuple[str, ...]:
        """The names of columns, those above a projection that only renames them."""
        return self._renamed.get(id(relation), relation.names)

    def _rank(self, relation: Rank) -> PlanNode:
        operator, below = self._operator(relation), relation.input
        keys = [below.names[i] for i in relation.partition]
        if not isinstance(operator, RankOperator):
            return self._made(relation, "Rank", self._ranked(relation, keys), [relation.partition])
        windows = windowed(below) if operator.windows else None
        if windows is not None:
            free = [i for i in relation.partition if i not in windows.starts | windows.ends | windows.times]
            by = [below.names[i] for i in free]
            over = f"window=[{_windows_of(windows, below.names)}]"
            order = relation.order[0] if len(relation.order) == 1 else None
            ordered = below.columns[order.arg.index] if order and isinstance(order.arg, Field) else None
            if order is not None and ordered is not None and ordered.time and (relation.first, relation.last) == (1, 1):
                keep = f"keep=[{'FirstRow' if order.ascending else 'LastRow'}]"
                parts = [
                    over,
                    keep,
                    f"partitionKeys=[{', '.join(by)}]",
                    f"orderKey=[{ordered.name}]",
                    f"order=[{ordered.time.upper()}]",
                ]
                return self._made(relation, "WindowDeduplicate", parts, [free])
            return self._made(relation, "WindowRank", [over, *self._ranked(relation, by)], [free])
        if relation.last == 1 and (operator.newest or operator.waits or operator.arrivals) and not relation.numbered:
            keep = "LastRow" if operator.newest else "FirstRow"
            time = relation.order[0].arg if relation.order else None
            at = below.columns[time.index].time if isinstance(time, Field) else None
            parts = [
                f"keep=[{keep}]",
                f"key=[{', '.join(keys)}]",
                f"order=[{(at or 'proctime').upper()}]",
                f"outputInsertOnly=[{str(not operator.newest).lower()}]",
            ]
            return self._made(relation, "Deduplicate", parts, [relation.partition])
        return self._made(
            relation, "Rank", [_strategy(operator, below), *self._ranked(relation, keys)], [relation.partition]
        )

    def _ranked(self, relation: Rank, keys: Sequence[str]) -> list[str]:
        return [
            "rankType=[ROW_NUMBER]",
            f"rankRange=[rankStart={relation.first}, rankEnd={relation.last}]",
            f"partitionBy=[{', '.join(keys)}]",
            f"orderBy=[{self._text.order(relation.order)}]",
            f"select=[{_listed(relation)}]",
        ]

    def _over(self, relation: OverAggregate) -> list[str]:
        below = relation.input
        by = [f"partitionBy=[{', '.join(below.names[i] for i in relation.partition)}]"] if relation.partition else []
        order = [f"orderBy=[{self._text.order(relation.order)}]"] if relation.order else []
        calls = self._calls(relation, relation.calls, len(below.columns))
        return [*by, *order, f"window=[{frame_text(relation.frame)}]", f"select=[{', '.join([*below.names, *calls])}]"]

    def _sort(self, relation: Sort) -> PlanNode:
        if not relation.order and relation.limit is None and not relation.offset:
            return self.node(relation.input)
        limited = relation.limit is not None or relation.offset > 0
        name = "Limit" if not relation.order else "SortLimit" if limited else "Sort"
        order = [f"orderBy=[{self._text.order(relation.order)}]"] if relation.order else []
        fetch = "unlimited" if relation.limit is None else relation.limit
        ends = [f"offset=[{relation.offset}]", f"fetch=[{fetch}]"] if limited else []
        return self._made(relation, name, [*order, *ends], [()])

    def _join(self, relation: Join) -> PlanNode:
        operator, left, right = self._operator(relation), relation.left, relation.right
        width, names = len(left.columns), distinct_names([*left.names, *right.names])
        conditions = [] if relation.condition is None else conjuncts(relation.condition)
        shown = conditions
        kind = f"joinType=[{_join_type(relation.kind)}]"
        name, parts = "Join", [kind]
        windows = joined_windows(relation) if isinstance(operator, WindowJoin) else None
        if windows is not None:
            name, shown = "WindowJoin", window_free(relation, windows)
            sides = (("left", windows[0], left), ("right", windows[1], right))
            parts = [*(f"{side}Window=[{_windows_of(each, of.names)}]" for side, each, of in sides), kind]
        elif isinstance(operator, IntervalJoin):
            name = "IntervalJoin"
            bounds = (
                f"isRowTime={str(not operator.processing).lower()}, leftLowerBound={-operator.upper // 1000}, "
                f"leftUpperBound={-operator.lower // 1000}, leftTimeIndex={operator.times[0]}, "
                f"rightTimeIndex={operator.times[1]}"
            )
            parts = [kind, f"windowBounds=[{bounds}]"]
        keys = join_keys(shown, width)
        parts += [f"where=[{self._text.all(shown, names)}]", f"select=[{_listed(relation)}]"]
        by = ([self._text.of(each) for each in side] for side in (keys.left, keys.right))
        inputs = [self._by(self.node(side), each) for side, each in zip((left, right), by, strict=True)]
        return PlanNode(name, tuple(parts), self._kinds(relation), tuple(inputs))

    def _temporal_join(self, relation: TemporalJoin) -> PlanNode:
        left, right = relation.left, relation.right
        width, names = len(left.columns), distinct_names([*left.names, *right.names])
        conditions = conjuncts(relation.condition)
        keys = join_keys(conditions, width)
        times = f"{names[relation.time]}, {names[width + relation.versioned_at]}"
        said = [*(self._text.of(each, names) for each in conditions), f"__TEMPORAL_JOIN_CONDITION({times})"]
        parts = (
            f"joinType=[{_join_type(relation.kind)}]",
            f"where=[AND({', '.join(said)})]",
            f"select=[{_listed(relation)}]",
        )
        by = ([self._text.of(each) for each in side] for side in (keys.left, keys.right))
        inputs = [self._by(self.node(side), each) for side, each in zip((left, right), by, strict=True)]
        return PlanNode("TemporalJoin", parts, self._kinds(relation), tuple(inputs))

    # -- what they share ---------------------------------------------------------------------------------

    def _made(
        self, relation: Relation, name: str, parts: Sequence[str], keys: Sequence[Sequence[int] | None] = ()
    ) -> PlanNode:
        """A node over those of its inputs; `keys`: by which columns each input is exchanged; None, or no more: not."""
        inputs = [self.node(each) for each in relation.inputs]
        for place, by in enumerate(keys):
            if by is not None:
                inputs[place] = self._exchange(inputs[place], relation.inputs[place].names, by)
        return PlanNode(name, tuple(parts), self._kinds(relation), tuple(inputs))

    def _exchange(self, below: PlanNode, names: Sequence[str], keys: Sequence[int]) -> PlanNode:
        return self._by(below, [names[key] for key in keys])

    def _by(self, below: PlanNode, keys: Sequence[str]) -> PlanNode:
        to = f"hash[{', '.join(keys)}]" if keys else "single"
        return PlanNode("Exchange", (f"distribution=[{to}]",), below.changes, (below,))

    def _windows(self, relation: WindowTable) -> str:
        return f"window=[{_window(relation.window, relation.input.names, relation.partition)}]"

    def _operator(self, relation: Relation) -> Operator | None:
        made = self._lowering.made(relation)
        return None if made is None else emitter(self._lowering, made)

    def _kinds(self, relation: Relation) -> Kinds:
        return kinds(self._lowering, relation)


def _as_upserts(node: PlanNode) -> PlanNode:
    """A node, and those below it, whose rows replace each other."""
    return replace(node, changes=_UPSERTS, inputs=tuple(map(_as_upserts, node.inputs)))


def _passes(expressions: Sequence[Expression], width: int) -> bool:
    """Whether expressions are all columns of their input, in order."""
    return [each.index if isinstance(each, Field) else None for each in expressions] == list(range(width))


def _strategy(operator: RankOperator, below: Relation) -> str:
    if operator.upsert is not None:
        keys = ",".join(below.names[i] for i in operator.upsert)
        return f"strategy=[UpdateFastStrategy[primaryKeys=[{keys}]]]"
    return f"strategy=[{'RetractStrategy' if operator.changes else 'AppendFastStrategy'}]"


def _listed(relation: Relation) -> str:
    return ", ".join(relation.names)


def _value(value: object) -> str:
    return "null" if value is None else repr(value)


def _join_type(kind: str) -> str:
    return {"inner": "InnerJoin", "semi": "LeftSemiJoin", "anti": "LeftAntiJoin"}.get(
        kind, f"{kind.capitalize()}OuterJoin"
    )


def _window(window: Window, names: Sequence[str], partition: Sequence[int] = ()) -> str:
    """A window over rows that are of none yet, or of windows that the rows are of."""
    if window.start is not None:
        over = f"win_start=[{names[window.start]}], win_end=[{names[window.time]}]"
    else:
        over = f"time_col=[{names[window.time]}]"
    return f"{window.kind.upper()}({over}, {_spans(window, [names[i] for i in partition])})"


def _windows_of(windows: Windowed, names: Sequence[str]) -> str:
    """The windows that rows are of."""
    start, end = names[min(windows.starts)], names[min(windows.ends)]
    keys = [names[min(each)] for each in windows.partition if each]
    spans = _spans(windows.window, keys)
    return f"{windows.window.kind.upper()}(win_start=[{start}], win_end=[{end}], {spans})"


def _spans(window: Window, keys: Sequence[str]) -> str:
    size, slide = (duration_text(each // 1000) for each in (window.size_us, window.slide_us))
    match window.kind:
        case "session":
            spans = [f"gap=[{size}]", *([f"partition keys=[{', '.join(keys)}]"] if keys else [])]
        case "hop":
            spans = [f"size=[{size}]", f"slide=[{slide}]"]
        case "rows":
            spans = [f"size=[{window.size_us}]", f"slide=[{window.slide_us}]"]
        case "cumulate":
            spans = [f"max_size=[{size}]", f"step=[{slide}]"]
        case _:
            spans = [f"size=[{size}]"]
    return ", ".join([*spans, *([f"offset=[{duration_text(window.offset_us // 1000)}]"] if window.offset_us else [])])


def _lookup(join: LookupJoin) -> str:
    """A lookup join, as Flink writes it."""
    table = join.right
    while table.inputs:
        (table,) = table.inputs
    path = ".".join(table.path) if isinstance(table, Scan) else ""
    of = join.left.names
    keys = ", ".join(f"{k.column}={repr(k.value) if k.left is None else of[k.left]}" for k in join.keys)
    said = [str(each) for each in (join.before, join.condition) if each is not None]
    where = f", joinCondition=[{said[0] if len(said) == 1 else 'AND(' + ', '.join(said) + ')'}]" if said else ""
    retry = [
        join.hints[name]
        for name in ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
        if name in join.hints
    ]
    again = f", retry=[{retry[0]}, {retry[1].upper()}, {retry[2]}, {retry[3]}]" if len(retry) == 4 else ""
    return (
        f"table=[{path}], joinType=[{_join_type(join.kind)}], lookup=[{keys}]{where}, "
        f"select=[{', '.join(join.names)}]{again}"
    )


def _parts_read(scan: Scan) -> Iterator[str]:
    """The columns that are read, and of ROW columns that are not read as a whole the parts."""
    for name in scan.names if scan.wanted is None else scan.wanted:
        parts = [".".join(part) for part in scan.fields if part[0] == name]
        yield from parts or [name]
