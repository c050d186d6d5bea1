"""Parsed SQL without positions, to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from datastream.table.sql.parser import parse, parse_expression


def without(node: Any, **given: Any) -> Any:
    """The same tree with other values of these attributes."""
    if is_dataclass(node) and not isinstance(node, type):
        made = {each.name: without(getattr(node, each.name), **given) for each in fields(node)}
        return replace(node, **made | {name: value for name, value in given.items() if name in made})
    if isinstance(node, tuple | list):
        return tuple(without(each, **given) for each in node)
    if isinstance(node, Mapping):
        return {key: without(value, **given) for key, value in node.items()}
    return node


def bare(node: Any) -> Any:
    """The same tree without positions."""
    return without(node, position=None)


def meaning(text: str) -> Any:
    """The statements of a text, without positions and texts."""
    return without(parse(text), position=None, text="")


def statement(text: str) -> Any:
    """The one statement of a text, without positions."""
    (found,) = parse(text)
    return bare(found)


def tree(text: str) -> Any:
    """A query's tree, without positions."""
    return statement(text).tree


def expression(text: str) -> Any:
    """An expression, without positions."""
    return bare(parse_expression(text))
