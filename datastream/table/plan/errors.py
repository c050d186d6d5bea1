"""Errors of queries: they say where, and what might have been meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from datastream.errors import UnsupportedOperation, ValidationError

from .expressions import Position


def wrong(message: str, position: Position | None = None) -> ValidationError:
    """The error for something that is wrong at a place of the SQL text."""
    return ValidationError(placed_message(message, position))


def refused(message: str, position: Position | None = None) -> UnsupportedOperation:
    """The error for something that is not supported."""
    return UnsupportedOperation(placed_message(message, position))


def retold(error: ValidationError | UnsupportedOperation, message: str) -> ValidationError | UnsupportedOperation:
    """An error of the same kind with another message."""
    return UnsupportedOperation(message) if isinstance(error, UnsupportedOperation) else ValidationError(message)


def unknown(what: str, name: str, known: Iterable[str], position: Position | None = None) -> ValidationError:
    """The error for a name that is not there, with the nearest one that is.

    Args:
        what: Such as ``column``.
        name: As written.
        known: All names.
        position: Where.
    """
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        hint = f": did you mean '{near}'?"
    elif names:
        hint = f"; there are {', '.join(names[:20])}{' ...' if len(names) > 20 else ''}"
    else:
        hint = "; there is none at all"
    return wrong(f"No {what} '{name}'{hint}", position)


def missing_name(what: str, name: str, known: Iterable[str]) -> str:
    """The text about a name that is not there: the nearest one that is, and all of them.

    Args:
        what: Such as ``option``.
        name: As written.
        known: All names, in the order in which they are shown.
    """
    names = list(known)
    near = nearest(name, names)
    hint = "." if near is None else f", did you mean '{near}'?"
    return f"there is no {what} '{name}'{hint} The {what}s are: {', '.join(names)}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like this one, whatever the case; None: none is like it."""
    by_fold = {each.casefold(): each for each in known}
    found = get_close_matches(name.casefold(), by_fold, 1)
    return by_fold[found[0]] if found else None


def placed_message(message: str, position: Position | None) -> str:
    """A message with its place in the SQL text in front."""
    return message if position is None else f"line {position.line}, column {position.column}: {message}"
