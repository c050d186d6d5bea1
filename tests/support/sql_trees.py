"""Parsed SQL without positions, to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from datastream.table.sql.parser import parse, parse_expression


def bare(node: Any) -> Any:
    """The same tree without positions."""
    if is_dataclass(node) and not isinstance(node, type):
        made = {each.name: bare(getattr(node, each.name)) for each in fields(node)}
        return replace(node, **made | ({"position": None} if "position" in made else {}))
    if isinstance(node, tuple):
        return tuple(bare(each) for each in node)
    if isinstance(node, Mapping):
        return {key: bare(value) for key, value in node.items()}
    return node


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
