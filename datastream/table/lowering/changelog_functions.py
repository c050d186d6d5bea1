"""TO_CHANGELOG and FROM_CHANGELOG: changes as rows with a column of their kind, and such rows as changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from datastream.graph.operators import Calc
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.relations import FromChangelog, ToChangelog

from .context import Lowered
from .lowering import Lowering, in_place, listed, lowers, types


@lowers(ToChangelog)
def lower_to_changelog(lowering: Lowering, relation: ToChangelog, upserted: frozenset[int] | None) -> Lowered:
    """Each change as a new row, the code of its kind first."""
    below = lowering.lower(relation.input)
    compiler, name = lowering.compiler(below), f"ToChangelog({listed(relation.columns)})"
    record, codes = compiler.record, relation.codes
    kept = [kind for kind, code in enumerate(codes) if code is not None]
    if not below.updates:
        result = f"({codes[0]!r}, *{record})"
        if codes[0] is None:
            compiler.block("if False", name)
    else:
        result = f"({compiler.names.bind(codes)}[{record}[0]], *{record}[1:])"
        if len(kept) < len(codes):
            compiler.block(f"if {record}[0] in {tuple(kept)!r}", name)
    code = replace(compiler.code(), result=result)
    output_type = inside_row(types(relation.columns), False)
    return Lowered(in_place(below.node, Calc, name, code=code, output_type=output_type), relation.columns, False)


@lowers(FromChangelog)
def lower_from_changelog(lowering: Lowering, relation: FromChangelog, upserted: frozenset[int] | None) -> Lowered:
    """Each row as a change, without the column of its kind."""
    below = lowering.lower(relation.input)
    if below.updates:
        raise TableException("FROM_CHANGELOG takes new rows only, and its table updates or deletes its rows")
    compiler, name = lowering.compiler(below), f"FromChangelog({listed(relation.columns)})"
    record, place = compiler.record, relation.op
    kind_of = compiler.names.bind(_kinds(dict(relation.kinds)))
    kind = compiler.names.variable("kind")
    compiler.line(f"{kind} = {kind_of}({record}[{place}])", name)
    result = f"({kind}, *{record}[:{place}], *{record}[{place + 1}:])"
    code = replace(compiler.code(), result=result)
    output_type = inside_row(types(relation.columns), True)
    return Lowered(in_place(below.node, Calc, name, code=code, output_type=output_type), relation.columns, True)


def _kinds(kinds: Mapping[str, int]) -> Callable[[str | None], int]:
    """What gives the kind of a code."""

    def kind_of(code: str | None) -> int:
        if code is None:
            raise ValueError("Received NULL op code. Every changelog row must carry an operation code.")
        found = kinds.get(code)
        if found is None:
            raise ValueError(f"Received invalid op code '{code}'. Defined op codes are: [{', '.join(kinds)}].")
        return found

    return kind_of
