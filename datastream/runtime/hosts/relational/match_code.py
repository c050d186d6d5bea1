"""Generated functions over the rows of a match.

They get `rows`, those that are kept of a key, and `b`, where the rows of each part of the pattern begin among them, and
the place after the last one. Conditions also get `i`, the place of the row in hand, which is the last one of their
part.
"""

from __future__ import annotations

from collections.abc import Callable

from datastream.codegen import SourceText
from datastream.graph.operators.patterns import MatchCode, RowOf
from datastream.graph.operators.relational import FoldCode
from datastream.runtime.pickled_keys import user_key

from .pattern_matcher import Condition, Row

#: (rows, bounds, time in µs) -> the row of a match.
Results = Callable[[list[Row], tuple[int, ...], int], Row]


def condition_function(code: MatchCode, part: int, name: str) -> Condition:
    """A function: whether a row fits a part of a pattern.

    Args:
        code: The condition.
        part: Which part.
        name: The operator's, for tracebacks.
    """
    text = _source(code)
    with text.function("def fits(rows, b, i)"):
        _evaluate(text, code, part)
        text.line("return True")
        text.depth = 1
        text.line("return False")
    made: Condition = text.compiled("fits", f"condition of {name}")
    return made


def results_function(code: MatchCode, name: str) -> Results:
    """A function: the row of a match."""
    text = _source(code)
    with text.function("def results(rows, b, t)"):
        _evaluate(text, code, None)
        text.line(f"return {code.code.result}")
    made: Results = text.compiled("results", f"measures of {name}")
    return made


def _source(code: MatchCode) -> SourceText:
    bound = dict(code.code.bound)
    for each in code.folds:
        bound |= each.fold.bound
    text = SourceText(user_key=user_key, **bound)
    for number, each in enumerate(code.folds):
        _write_fold(text, each.fold, number)
    return text


def _write_fold(text: SourceText, fold: FoldCode, number: int) -> None:
    with text.function(f"def fold_{number}(rows)"):
        text.line(f"acc = {fold.first}")
        with text.block("for r in rows"):
            text.indented(fold.add or ("pass",))
        text.line(f"return {fold.value}")


def _evaluate(text: SourceText, code: MatchCode, part: int | None) -> None:
    """Lines that evaluate code, up to where its result is there; `part`: of a condition."""
    values = [_value(each, part) for each in code.rows]
    values += [f"*fold_{number}({_rows(each.part, part)})" for number, each in enumerate(code.folds)]
    values += ["t"] if code.timed else []
    text.line(f"{code.code.record} = r = ({''.join(f'{value}, ' for value in values)})")
    depth = text.depth
    for line in code.code.lines:
        text.depth = depth + line.depth
        text.line(line.text, line.what)
    text.depth = depth + code.code.depth


def _value(row: RowOf, part: int | None) -> str:
    if part is not None and row.part is not None and row.part > part:
        return "None"
    if part is not None and row.part in (None, part) and not row.first and not row.offset:
        return f"rows[i][{row.column}]"
    begin, end = _bounds(row.part)
    place = f"{begin} + {row.offset}" if row.first else f"{end} - {row.offset + 1}"
    return f"rows[{place}][{row.column}] if {end} - {begin} > {row.offset} else None"


def _rows(part: int | None, of: int | None) -> str:
    """The rows of a part of the pattern."""
    if part is not None and of is not None and part > of:
        return "()"
    begin, end = _bounds(part)
    return f"rows[{begin}:{end}]"


def _bounds(part: int | None) -> tuple[str, str]:
    return ("b[0]", "b[-1]") if part is None else (f"b[{part}]", f"b[{part + 1}]")
