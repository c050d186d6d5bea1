"""How the values of a type are written as text, and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DIGITS = "0123456789"


@dataclass(frozen=True)
class Text:
    """How the values of a type are written and read.

    Attributes:
        read: Text -> value. Raises ValueError, LookupError or ArithmeticError.
        write: A value that fits the type -> text. Raises NoText.
        alphabet: The characters that `write` uses; None: any.
        as_text: Whether what it writes is put in quotes as texts are; else only where it could not be read.
        fast_read: An expression of ``{v}``, a text, and ``{read}``, which is `read`; it may assign to n. "": none.
        guarded: Whether `fast_read` takes only ASCII without underscores: Python's own parsers read more than Java's.
        fast_write: An expression of ``{v}``, a value: its text, or what has that text as its str().
        fits: The condition for that.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str]
    alphabet: str | None = None
    fast_read: str = ""
    guarded: bool = False
    fast_write: str = ""
    fits: str = ""
    as_text: bool = False
