"""Plans as text, with Flink's headings and names of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .explain_match import match_text
from .expression_trees import children, rebuild
from .expressions import Call, Expression, Field
from .relations import (
    Aggregate,
    Column,
    Correlate,
    Filter,
    Join,
    Match,
    OverAggregate,
    ProcessTable,
    Project,
    Rank,
    Relation,
    RowFunction,
    Scan,
    SetOperation,
    Sort,
    StreamScan,
    Values,
    Watermark,
    Window,
    WindowAggregate,
    WindowTable,
    distinct_names,
)
from .temporal_relations import LookupJoin, SnapshotJoin, TemporalJoin


def explained(written: Relation, optimized: Relation, sink: str | None = None) -> str:
    """A plan as it was written, and as it runs.

    Args:
        written: Before the rewrites.
        optimized: After them.
        sink: The path of the table that it is written to.
    """
    ast = "\n".join(_tree(written, sink, _logical))
    physical = "\n".join(_tree(optimized, sink, _physical))
    return (
        f"== Abstract Syntax Tree ==\n{ast}\n\n"
        f"== Optimized Physical Plan ==\n{physical}\n\n"
        f"== Optimized Execution Plan ==\n{physical}\n"
    )


def executed(plans: Sequence[tuple[Relation, str]]) -> str:
    """Plans as they run.

    Args:
        plans: Each after the rewrites, with the path of the table that it is written to.
    """
    trees = ("\n".join(_tree(relation, sink, _physical)) for relation, sink in plans)
    return "== Optimized Execution Plan ==\n" + "\n\n".join(trees) + "\n"


def _tree(relation: Relation, sink: str | None, line: object) -> Iterator[str]:
    assert callable(line)
    if sink is not None:
        name = "LogicalSink" if line is _logical else "Sink"
        yield f"{name}(table=[{sink}], fields=[{', '.join(relation.names)}])"
        yield from _below(_lines(relation, line), last=True)
    else:
        yield from _lines(relation, line)


def _lines(relation: Relation, line: object) -> Iterator[str]:
    assert callable(line)
    own, inputs = line(relation)
    depth = 0
    for text in own:
        yield "   " * (depth - 1) + ("+- " if depth else "") + text
        depth += 1
    for i, each in enumerate(inputs):
        for text in _below(_lines(each, line), last=i == len(inputs) - 1):
            yield "   " * (depth - 1) + text


def _below(lines: Iterator[str], last: bool) -> Iterator[str]:
    for i, text in enumerate(lines):
        yield ("+- " if last else ":- ") + text if i == 0 else ("   " if last else ":  ") + text


def _logical(relation: Relation) -> tuple[list[str], tuple[Relation, ...]]:
    match relation:
        case Scan(path=path):
            text = f"LogicalTableScan(table=[[{', '.join(path)}]])"
        case Project(expressions=expressions):
            parts = [f"{c.name}=[{_indexed(e)}]" for c, e in zip(relation.columns, expressions, strict=True)]
            text = f"LogicalProject({', '.join(parts)})"
        case Filter(condition=condition):
            text = f"LogicalFilter(condition=[{_indexed(condition)}])"
        case Aggregate(keys=keys, calls=calls):
            made = [f"{c.name}=[{_indexed(e)}]" for c, e in zip(relation.columns[len(keys) :], calls, strict=True)]
            group = ", ".join(map(str, keys))
            text = f"LogicalAggregate({', '.join([f'group=[{{{group}}}]', *made])})"
        case Values(rows=rows):
            text = f"LogicalValues(tuples=[[{', '.join(_row(row) for row in rows)}]])"
        case _:
            (text, *_), _ = _physical(relation)
            text = f"Logical{text}"
    return [text], relation.inputs


def _physical(relation: Relation) -> tuple[list[str], tuple[Relation, ...]]:
    match relation:
        case Project(expressions=expressions, input=Filter(condition=condition) as below):
            select = _select(expressions, relation.columns)
            return [f"Calc(select=[{select}], where=[{condition}])"], below.inputs
        case Project(expressions=expressions):
            return [f"Calc(select=[{_select(expressions, relation.columns)}])"], relation.inputs
        case Filter(condition=condition):
            return [f"Calc(select=[{', '.join(relation.names)}], where=[{condition}])"], relation.inputs
        case Aggregate(keys=keys, calls=calls):
            return _aggregate("GroupAggregate", "", relation.input, keys, calls, relation.columns)
        case WindowAggregate(keys=keys, calls=calls, window=window):
            text = f"window=[{window.kind.upper()}({_over(window, relation.input.names)}, {_spans(window)})], "
            return _aggregate("WindowAggregate", text, relation.input, keys, calls, relation.columns)
    return [_line(relation)], (relation.left,) if isinstance(relation, LookupJoin) else relation.inputs


def _line(relation: Relation) -> str:
    names = ", ".join(relation.names)
    match relation:
        case Scan(path=path):
            return f"TableSourceScan(table=[[{', '.join(path)}]], fields=[{names}])"
        case StreamScan(stream=stream):
            return f"DataStreamScan(stream=[{stream}], fields=[{names}])"
        case Values(rows=rows):
            return f"Values(tuples=[[{', '.join(_row(row) for row in rows)}]])"
        case Watermark(column=column, expression=expression):
            return f"WatermarkAssigner(rowtime=[{relation.names[column]}], watermark=[{expression}])"
        case WindowTable(window=window):
            time = relation.input.names[window.time]
            return f"WindowTableFunction(window=[{window.kind.upper()}(time_col=[{time}], {_spans(window)})])"
        case Join(kind=kind, condition=condition):
            where = _named(condition, _beside(relation)) if condition else True
            return f"Join(joinType=[{_join_type(kind)}], where=[{where}], select=[{names}])"
        case TemporalJoin(kind=kind):
            where = f"AND({relation.condition}, {_at_the_time(relation)})"
            return f"TemporalJoin(joinType=[{_join_type(kind)}], where=[{where}], select=[{names}])"
        case SnapshotJoin(kind=kind, condition=condition, period=period):
            return f"Correlate(joinType=[{kind}], period=[{period}], where=[{condition or True}], select=[{names}])"
        case LookupJoin():
            return _lookup(relation)
        case Correlate(call=call, kind=kind):
            return f"Correlate(invocation=[{call}], joinType=[{_join_type(kind)}], select=[{names}])"
        case Rank(first=first, last=last):
            parts = ", ".join(relation.input.names[i] for i in relation.partition)
            ordered = ", ".join(map(_ordered, relation.order))
            return (
                f"Rank(rankType=[ROW_NUMBER], rankRange=[rankStart={first}, rankEnd={last}], partitionBy=[{parts}], "
                f"orderBy=[{ordered}], select=[{names}])"
            )
        case OverAggregate():
            return f"OverAggregate({_over_window(relation)}, select=[{names}])"
        case Match():
            return match_text(relation, _ordered)
        case SetOperation(kind=kind, all=all):
            return f"{kind.capitalize()}(all=[{str(all).lower()}], {kind}=[{names}])"
        case Sort(order=order, offset=offset, limit=limit):
            by = [f"orderBy=[{', '.join(_ordered(each) for each in order)}]"] if order else []
            ends = [f"offset=[{offset}]"] if offset else []
            fetch = [f"fetch=[{limit}]"] if limit is not None else []
            kind = "SortLimit" if order and (offset or fetch) else "Sort" if order else "Limit"
            return f"{kind}({', '.join([*by, *ends, *fetch])})"
        case ProcessTable():
            return _process(relation)
        case RowFunction(kind=kind, call=call):
            return f"{kind.title().replace('_', '')}(invocation=[{call}], select=[{names}])"
    return type(relation).__name__


def _process(relation: ProcessTable) -> str:
    """A process table function, with tables by their numbers."""
    args = []
    for number, table in enumerate(relation.tables):
        by = ", ".join(f"${place}" for place in table.partition)
        args.append(f"TABLE(#{number}){f' PARTITION BY({by})' if by else ''}")
    args += [str(each) for each in relation.call.args]
    times = (table.input.names[table.time] for table in relation.tables if table.time is not None)
    on_time = ", ".join(repr(name) for name in times)
    args += [f"DESCRIPTOR({on_time})"] if on_time else []
    invocation = f"{relation.call.function}({', '.join(args)})"
    select = ",".join(relation.names)
    return f"ProcessTableFunction(invocation=[{invocation}], uid=[{relation.uid or 'null'}], select=[{select}])"


def _beside(join: Join) -> Sequence[str]:
    """The names of both sides' columns, as those of an inner join are."""
    return distinct_names([*join.left.names, *join.right.names])


def _at_the_time(join: TemporalJoin) -> str:
    left, right = join.left.names[join.time], join.names[len(join.left.columns) + join.versioned_at]
    return f"__TEMPORAL_JOIN_CONDITION({left}, {right})"


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
        f"LookupJoin(table=[{path}], joinType=[{_join_type(join.kind)}], lookup=[{keys}]{where}, "
        f"select=[{', '.join(join.names)}]{again})"
    )


def _aggregate(
    name: str,
    middle: str,
    below: Relation,
    keys: Sequence[int],
    calls: Sequence[Call],
    columns: Sequence[Column],
) -> tuple[list[str], tuple[Relation, ...]]:
    by = ", ".join(below.names[i] for i in keys)
    made = [f"{call} AS {column.name}" for call, column in zip(calls, columns[len(keys) :], strict=False)]
    grouped = f"groupBy=[{by}], " if keys else ""
    select = ", ".join([*(below.names[i] for i in keys), *made])
    exchange = f"Exchange(distribution=[{f'hash[{by}]' if keys else 'single'}])"
    return [f"{name}({grouped}{middle}select=[{select}])", exchange], (below,)


def _select(expressions: Sequence[Expression], columns: Sequence[Column]) -> str:
    parts = []
    for each, column in zip(expressions, columns, strict=True):
        same = isinstance(each, Field) and each.name == column.name
        parts.append(column.name if same else f"{each} AS {column.name}")
    return ", ".join(parts)


def _indexed(expression: Expression) -> str:
    return str(_name_fields(expression, lambda index: f"${index}"))


def _named(expression: Expression, names: Sequence[str]) -> str:
    return str(_name_fields(expression, names.__getitem__))


def _name_fields(expression: Expression, name_of: Callable[[int], str]) -> Expression:
    if isinstance(expression, Field):
        return Field(expression.index, name_of(expression.index), type=expression.type)
    parts = tuple(_name_fields(each, name_of) for each in children(expression))
    return rebuild(expression, parts) if parts else expression


def _ordered(expression: Expression) -> str:
    text = str(expression)
    for name in ("asc", "desc"):
        if text.startswith(f"{name}("):
            return f"{text[len(name) + 1 : -1]} {name.upper()}"
    return text


def _over(window: Window, names: Sequence[str]) -> str:
    if window.start is None:
        return f"time_col=[{names[window.time]}]"
    return f"win_start=[{names[window.start]}], win_end=[{names[window.time]}]"


def _over_window(relation: OverAggregate) -> str:
    """The window of OVER, as Flink writes it."""
    below, frame = relation.input.names, relation.frame
    by = f"partitionBy=[{', '.join(below[i] for i in relation.partition)}], " if relation.partition else ""
    order = f"orderBy=[{', '.join(map(_ordered, relation.order))}], " if relation.order else ""
    bounds = (_bound(frame.start, "PRECEDING", "FOLLOWING"), _bound(frame.end, "FOLLOWING", "PRECEDING"))
    return f"{by}{order}window=[ {'ROWS' if frame.rows else 'RANGE'} BETWEEN {' AND '.join(bounds)}]"


def _bound(distance: object, way: str, other: str) -> str:
    if distance is None:
        return f"UNBOUNDED {way}"
    if not distance:
        return "CURRENT ROW"
    return f"{abs(distance)} {way if distance > 0 else other}"  # type: ignore[operator,arg-type]


def _spans(window: object) -> str:
    size, slide = getattr(window, "size_us", 0), getattr(window, "slide_us", 0)
    spans = [f"size=[{size // 1000} ms]"]
    return ", ".join([*spans, *([f"slide=[{slide // 1000} ms]"] if slide else [])])


def _join_type(kind: str) -> str:
    return f"{kind.capitalize()}Join" if kind in ("inner", "semi", "anti") else f"{kind.capitalize()}OuterJoin"


def _row(row: Sequence[object]) -> str:
    return f"{{ {', '.join('null' if value is None else repr(value) for value in row)} }}"
