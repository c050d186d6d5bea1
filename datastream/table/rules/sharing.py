"""A table that is read in several places is read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import Column, Project, Relation, Scan
from datastream.table.plan.temporal_relations import LookupJoin

from .rebuild import with_inputs

#: A table, and the options of a hint: scans of it that differ in columns, their fields, predicates and limit only.
Read = tuple[tuple[str, str, str], tuple[tuple[str, str], ...], bool]


def with_shared_scans(relations: Sequence[Relation]) -> list[Relation]:
    """The same plans, in which all places that read a table hold one scan, of the columns that any of them wants."""
    found: dict[Read, list[Scan]] = {}
    for scan in (scan for each in relations for scan in _read_whole(each)):
        found.setdefault(_read(scan), []).append(scan)
    shared = {read: _of_all(scans) for read, scans in found.items() if len(scans) > 1}
    return [_shared(each, shared) for each in relations] if shared else list(relations)


def scans(relation: Relation) -> Iterator[Scan]:
    """The tables that a plan reads."""
    if isinstance(relation, Scan):
        yield relation
    for each in relation.inputs:
        yield from scans(each)


def _read_whole(relation: Relation) -> Iterator[Scan]:
    """The tables of which a plan reads all rows."""
    if isinstance(relation, Scan):
        yield relation
    for each in relation.inputs[: 1 if isinstance(relation, LookupJoin) else None]:
        yield from _read_whole(each)


def _read(scan: Scan) -> Read:
    return scan.path, tuple(sorted(scan.options.items())), scan.versions


def _of_all(scans: Sequence[Scan]) -> Scan:
    common = tuple(each for each in scans[0].predicates if all(each in scan.predicates for scan in scans))
    limits = [scan.limit for scan in scans]
    limit = None if None in limits else max(each for each in limits if each is not None)
    columns: dict[str, Column] = {}
    for scan in scans:
        for column in scan.columns:
            columns.setdefault(column.name, column)
    return replace(
        scan,
        columns=tuple(columns.values()),
        wanted=tuple(columns),
        predicates=common,
        limit=limit,
        fields=_fields_of_all(scans),
    )


def _fields_of_all(scans: Sequence[Scan]) -> tuple[tuple[str, ...], ...]:
    """The parts of ROW columns that any of the scans reads."""
    parts = {part for scan in scans for part in scan.fields}
    whole = {(name,) for scan in scans for name in scan.names if all(part[0] != name for part in scan.fields)}
    read = parts | whole
    return tuple(sorted(part for part in parts if not any(part[:length] in read for length in range(1, len(part)))))


def _shared(relation: Relation, shared: dict[Read, Scan]) -> Relation:
    if isinstance(relation, LookupJoin):
        return replace(relation, left=_shared(relation.left, shared))
    if not isinstance(relation, Scan):
        return with_inputs(relation, lambda each: _shared(each, shared))
    scan = shared.get(_read(relation))
    if scan is None or scan.names == relation.names:
        return scan or relation
    fields = tuple(Field(scan.names.index(each.name), each.name, type=each.type) for each in relation.columns)
    return Project(scan, fields, columns=relation.columns)
