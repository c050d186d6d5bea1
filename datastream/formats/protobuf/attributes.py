"""Fields of messages, as text of Python: also those that have the name of a keyword."""

from __future__ import annotations

from keyword import iskeyword


def attribute(message: str, name: str) -> str:
    """The expression of a field."""
    return f"getattr({message}, {name!r})" if iskeyword(name) else f"{message}.{name}"


def assignment(target: str, value: str) -> str:
    """The statement that gives a field, an expression of `attribute`, a value."""
    if target.startswith("getattr("):
        return f"s{target[1:-1]}, {value})"
    return f"{target} = {value}"
