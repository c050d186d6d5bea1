"""Plans as they were written, as text with Flink's names of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .explain_match import match_text
from .expression_trees import children, rebuild
from .expressions import Expression, Field
from .plan_text import draw_below, frame_text, predict_text, process_text
from .relations import (
    Aggregate,
    Correlate,
    Filter,
    Join,
    Match,
    OverAggregate,
    Predict,
    ProcessTable,
    Project,
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
from .temporal_relations import SnapshotJoin


def logical_plan(relation: Relation, sink: str | None = None) -> str:
    """A plan as it was written.

    Args:
        relation: Before the rewrites.
        sink: The path of the table that it is written to.
    """
    if sink is None:
        return "\n".join(_lines(relation))
    head = f"LogicalSink(table=[{sink}], fields=[{', '.join(relation.names)}])"
    return "\n".join([head, *draw_below(_lines(relation), last=True)])


def _lines(relation: Relation) -> Iterator[str]:
    yield _logical(relation)
    for i, each in enumerate(relation.inputs):
        yield from draw_below(_lines(each), last=i == len(relation.inputs) - 1)


def _logical(relation: Relation) -> str:
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
            text = f"Logical{_line(relation)}"
    return text


def _line(relation: Relation) -> str:
    names = ", ".join(relation.names)
    match relation:
        case StreamScan(stream=stream):
            return f"DataStreamScan(stream=[{stream}], fields=[{names}])"
        case Watermark(column=column, expression=expression):
            return f"WatermarkAssigner(rowtime=[{relation.names[column]}], watermark=[{expression}])"
        case WindowAggregate(keys=keys, calls=calls, window=window):
            inputs = relation.input.names
            made = zip(calls, relation.columns[len(keys) :], strict=False)
            select = ", ".join([*(inputs[i] for i in keys), *(f"{call} AS {column.name}" for call, column in made)])
            spans = f"{_over(window, inputs)}, {_spans(window)}"
            return f"WindowAggregate(window=[{window.kind.upper()}({spans})], select=[{select}])"
        case WindowTable(window=window):
            time = relation.input.names[window.time]
            return f"WindowTableFunction(window=[{window.kind.upper()}(time_col=[{time}], {_spans(window)})])"
        case Join(kind=kind, condition=condition):
            where = _named(condition, _beside(relation)) if condition else True
            return f"Join(joinType=[{_join_type(kind)}], where=[{where}], select=[{names}])"
        case SnapshotJoin(kind=kind, condition=condition, period=period):
            return f"Correlate(joinType=[{kind}], period=[{period}], where=[{condition or True}], select=[{names}])"
        case Correlate(call=call, kind=kind, condition=condition):
            where = "" if condition is None else f", where=[{condition}]"
            return f"Correlate(invocation=[{call}], joinType=[{_join_type(kind)}]{where}, select=[{names}])"
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
            return f"ProcessTableFunction({process_text(relation)})"
        case Predict():
            return f"TableFunctionScan({predict_text(relation)})"
        case RowFunction(kind=kind, call=call):
            return f"{kind.title().replace('_', '')}(invocation=[{call}], select=[{names}])"
    return type(relation).__name__


def _beside(join: Join) -> Sequence[str]:
    """The names of both sides' columns, as those of an inner join are."""
    return distinct_names([*join.left.names, *join.right.names])


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
    names = relation.input.names
    by = f"partitionBy=[{', '.join(names[i] for i in relation.partition)}], " if relation.partition else ""
    order = f"orderBy=[{', '.join(map(_ordered, relation.order))}], " if relation.order else ""
    return f"{by}{order}window=[{frame_text(relation.frame)}]"


def _spans(window: Window) -> str:
    size, slide = window.size_us, window.slide_us
    if window.kind == "rows":
        return f"size=[{size}], slide=[{slide}]"
    spans = [f"size=[{size // 1000} ms]"]
    return ", ".join([*spans, *([f"slide=[{slide // 1000} ms]"] if slide else [])])


def _join_type(kind: str) -> str:
    return f"{kind.capitalize()}Join" if kind in ("inner", "semi", "anti") else f"{kind.capitalize()}OuterJoin"


def _row(row: Sequence[object]) -> str:
    return f"{{ {', '.join('null' if value is None else repr(value) for value in row)} }}"
