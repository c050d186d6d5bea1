"""What both texts of plans have in common: as they are written, and as they run."""

from __future__ import annotations

from collections.abc import Iterator

from datastream.table.types.type_text import summary

from .relations import Frame, Predict, ProcessTable


def draw_below(lines: Iterator[str], last: bool) -> Iterator[str]:
    """The lines of an input, drawn below its node; `last`: no other input follows."""
    for i, text in enumerate(lines):
        yield ("+- " if last else ":- ") + text if i == 0 else ("   " if last else ":  ") + text


def frame_text(frame: Frame) -> str:
    """The rows that an OVER window reads, as Flink writes them."""
    bounds = (_bound(frame.start, "PRECEDING", "FOLLOWING"), _bound(frame.end, "FOLLOWING", "PRECEDING"))
    return f" {'ROWS' if frame.rows else 'RANGE'} BETWEEN {' AND '.join(bounds)}"


def _bound(distance: object, way: str, other: str) -> str:
    if distance is None:
        return f"UNBOUNDED {way}"
    if not distance:
        return "CURRENT ROW"
    return f"{abs(distance)} {way if distance > 0 else other}"  # type: ignore[operator,arg-type]


def process_text(relation: ProcessTable) -> str:
    """A process table function, with tables by their numbers."""
    args = []
    for number, table in enumerate(relation.tables):
        by = ", ".join(f"${place}" for place in table.partition)
        args.append(f"TABLE(#{number}){f' PARTITION BY({by})' if by else ''}")
    args += [str(each) for each in relation.call.args]
    times = (table.input.names[table.time] for table in relation.tables if table.time is not None)
    on_time = ", ".join(repr(name) for name in times)
    args += [f"DESCRIPTOR({on_time})"] if on_time else []
    uid = f", uid=[{relation.uid}]" if relation.uid else ""
    return f"invocation=[{relation.call.function}({', '.join(args)})]{uid}, select=[{','.join(relation.names)}]"


def predict_text(relation: Predict) -> str:
    """A call of a model."""
    names = ", ".join(repr(relation.input.names[place]) for place in relation.args)
    given = ", ".join(repr(each) for pair in relation.config for each in pair)
    args = ["TABLE(#0)", f"Model(MODEL {'.'.join(relation.model)})", f"DESCRIPTOR({names})"]
    args.append(f"MAP({given})" if given else "DEFAULT()")
    types = ", ".join(f"{summary(column.type.nullable())} {column.name}" for column in relation.columns)
    return f"invocation=[ML_PREDICT({', '.join(args)})], rowType=[RecordType({types})]"
