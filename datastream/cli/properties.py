"""The ``-D key=value`` option."""

from __future__ import annotations

import click


def parse_properties(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """``("a=1", "b=x=y")`` -> ``{"a": "1", "b": "x=y"}``; the last of two wins.

    Raises:
        BadParameter: for a value without a key or without ``=``.
    """
    properties: dict[str, str] = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"expected key=value, got {value!r}")
        properties[key.strip()] = text
    return properties
