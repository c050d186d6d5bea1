"""Patterns: LIKE, SIMILAR TO, and Java's regular expressions, as Python's."""

from __future__ import annotations

import re
from functools import lru_cache

from datastream.errors import ValidationError
from datastream.table.functions.signatures import quoted

_POSIX = {
    "Alnum": "a-zA-Z0-9",
    "Alpha": "a-zA-Z",
    "ASCII": "\\x00-\\x7f",
    "Blank": " \\t",
    "Cntrl": "\\x00-\\x1f\\x7f",
    "Digit": "0-9",
    "Graph": "\\x21-\\x7e",
    "Lower": "a-z",
    "Print": "\\x20-\\x7e",
    "Punct": "!-/:-@\\[-`{-~",
    "Space": " \\t\\n\\x0b\\f\\r",
    "Upper": "A-Z",
    "XDigit": "0-9a-fA-F",
    "L": "a-zA-Z\\u00aa\\u00b5\\u00ba\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02c1\\u0370-\\u1fff\\u3040-\\ud7ff",
    "N": "0-9\\u00b2\\u00b3\\u00b9\\u00bc-\\u00be",
}
_PROPERTY = re.compile(r"\\([pP])(?:\{(?:Is)?(\w+)\}|(\w))|\\Q(.*?)(?:\\E|$)|\\z|\\.|\[|\]|\(\?<(?![=!])", re.S)


@lru_cache(1024)
def java_regex(pattern: str) -> re.Pattern[str]:
    """A regular expression of Java's, as Python's.

    Raises:
        ValidationError: Python has no form for it.
    """
    depth = 0

    def translate(found: re.Match[str]) -> str:
        nonlocal depth
        text = found[0]
        if text == "[":
            depth += 1
            return text
        if text == "]":
            depth = max(depth - 1, 0)
            return text
        if text == "\\z":
            return "\\Z"
        if text == "\\Z":
            return "(?=\\n?\\Z)"
        if text == "\\h":
            return " \\t" if depth else "[ \\t]"
        if text == "\\R":
            return "(?:\\r\\n|[\\n\\r])"
        if text == "(?<":
            return "(?P<"
        if text.startswith("\\Q"):
            return re.escape(found[4])
        name = found[2] or found[3]
        if name is None:
            return text
        letters = _POSIX.get(name) or _POSIX.get(name.capitalize()) or _POSIX.get(name[0])
        if letters is None:
            raise ValidationError(f"regular expression {pattern!r}: {text} is not supported")
        if depth:
            return letters
        return f"[{'^' if found[1] == 'P' else ''}{letters}]"

    try:
        return re.compile(_PROPERTY.sub(translate, pattern), re.ASCII)
    except re.error as error:
        raise ValidationError(f"regular expression {pattern!r}: {error}") from error


@lru_cache(1024)
def java_replacement(text: str) -> str:
    """A replacement of Java's, with ``$1`` and ``${name}`` for groups, as Python's."""
    parts: list[str] = []
    for part in re.findall(r"\\.|\$\{\w+\}|\$\d|[^\\$]+|.", text, re.S):
        if part[0] == "\\" and len(part) == 2:
            parts.append("\\\\" if part[1] == "\\" else part[1])
        elif part[0] == "$" and len(part) > 1:
            parts.append(f"\\g<{part.strip('${}')}>")
        else:
            parts.append(part)
    return "".join(parts)


@lru_cache(1024)
def like_regex(pattern: str, escape: str = "") -> re.Pattern[str]:
    """A pattern of LIKE as Python's.

    Raises:
        ValidationError: `escape` is more than a character, or stands before none that it can escape.
    """
    if len(escape) > 1:
        raise ValidationError(f"LIKE: the escape is one character, got {escape!r}")
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            escaped = next(letters, "")
            if escaped not in ("%", "_", escape):
                raise ValidationError(f"LIKE {pattern!r}: {escape!r} must be followed by %, _ or another {escape!r}")
            parts.append(re.escape(escaped))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter) or re.escape(letter))
    return re.compile("".join(parts), re.S)


def like(text: str, pattern: str, escape: str = "") -> bool:
    """``text LIKE pattern``."""
    return like_regex(pattern, escape).fullmatch(text) is not None


def like_text(pattern: str, escape: str) -> str | None:
    """Python text of LIKE with a constant pattern that needs no regular expression; else None."""
    inner = pattern.strip("%")
    if "%" in inner or "_" in inner or (escape and escape in pattern):
        return None
    head, tail = pattern[:1] == "%", pattern[-1:] == "%"
    if not inner:
        return "True" if head else "({0} == '')"
    if head and tail:
        return f"({quoted(inner)} in {{0}})"
    if head:
        return f"{{0}}.endswith({quoted(inner)})"
    return f"{{0}}.startswith({quoted(inner)})" if tail else f"({{0}} == {quoted(inner)})"


#: Classes of letters that SIMILAR TO has names for.
_LETTERS = {
    "ALNUM": _POSIX["Alnum"],
    "ALPHA": _POSIX["Alpha"],
    "DIGIT": _POSIX["Digit"],
    "LOWER": _POSIX["Lower"],
    "SPACE": " ",
    "UPPER": _POSIX["Upper"],
    "WHITESPACE": _POSIX["Space"],
}
_NAMED_CLASS = re.compile(rf"\[:({'|'.join([*_LETTERS, *map(str.lower, _LETTERS)])}):\]")

#: What Java's `.` stands for; also `_` of SIMILAR TO.
_ANY = r"[^\n\r\u0085\u2028\u2029]"


@lru_cache(1024)
def similar_regex(pattern: str, escape: str | None = None) -> re.Pattern[str]:
    """As Flink has it: what SQL has no meaning for means what it does in a regular expression, but for \\ and $."""
    if escape is not None and len(escape) != 1:
        raise ValidationError(f"SIMILAR TO: the escape character is one letter, not {escape!r}")
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == escape:
            parts.append(re.escape(_escaped(pattern, at, escape)))
            at += 2
            continue
        if letter == "[":
            letters, at = _class(pattern, at, escape)
            parts.append(letters)
            continue
        parts.append({"%": "(?s:.*)", "_": _ANY, ".": _ANY, "\\": r"\\", "$": r"\$"}.get(letter, letter))
        at += 1
    try:
        return re.compile("".join(parts))
    except re.error as error:
        raise ValidationError(f"SIMILAR TO {pattern!r}: {error}") from error


def _escaped(pattern: str, at: int, escape: str) -> str:
    """The letter after the escape character."""
    letter = pattern[at + 1 : at + 2]
    if letter not in (*"[|*+_%?{}()^-]", escape):
        raise ValidationError(f"SIMILAR TO {pattern!r}: nothing that can be escaped is at place {at + 2}")
    return letter


def _class(pattern: str, start: int, escape: str | None) -> tuple[str, int]:
    """A class of letters, such as ``[a-c[:DIGIT:]]``, as in a regular expression, and the place after it."""
    parts, at = ["["], start + 1
    while at < len(pattern) and pattern[at] != "]":
        named = _NAMED_CLASS.match(pattern, at)
        if named is not None:
            parts.append(_LETTERS[named[1].upper()])
            at = named.end()
            continue
        if pattern[at] == escape:
            parts.append(re.escape(_escaped(pattern, at, escape)))
            at += 2
            continue
        if pattern[at] in "[|*+_%?{}()":
            raise ValidationError(
                f"SIMILAR TO {pattern!r}: {pattern[at]!r} at place {at + 1} cannot be in a class of letters"
            )
        parts.append("\\\\" if pattern[at] == "\\" else pattern[at])
        at += 1
    if at == len(pattern):
        raise ValidationError(f"SIMILAR TO {pattern!r}: the class of letters at place {start + 1} has no end")
    return "".join([*parts, "]"]), at + 1


def similar(text: str, pattern: str, escape: str | None = None) -> bool:
    """``text SIMILAR TO pattern ESCAPE escape``."""
    return similar_regex(pattern, escape).fullmatch(text) is not None
