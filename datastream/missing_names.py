"""What to write instead of a method that an object of the API does not have."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

from datastream.old_names import warn_of_old

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class AdvisedNames:
    """Base of what functions get, such as states and contexts: the report of a failed function says what to write
    instead of a name that such an object does not have.

    It has no `__getattr__`, with which Python takes four times as long for each attribute that is there.

    Attributes:
        _remedies: What to write instead of a name, for names that users of other APIs expect.
    """

    __slots__ = ()

    _remedies: ClassVar[dict[str, str]] = {}

    @classmethod
    def _advice(cls, name: str) -> str:
        """What to write instead of a name that is missing, as the end of an error; empty where nothing is known."""
        remedy = cls._remedy(name) or cls._remedy(_snake(name)) or cls._similar(name)
        return f"; {remedy}" if remedy else ""

    @classmethod
    def _remedy(cls, name: str) -> str | None:
        """What to write instead of a name; None where nothing is known."""
        for base in cls.__mro__:
            known = base.__dict__.get("_remedies", {}).get(name)
            if known is not None:
                return str(known)
        return None

    @classmethod
    def _similar(cls, name: str) -> str | None:
        """Java's ``keyBy`` for ``key_by``, or a misspelt name."""
        names = [known for known in dir(cls) if not known.startswith("_")]
        found = get_close_matches(_snake(name), names, 1, 0.75)
        return f"did you mean {found[0]}?" if found else None


class MissingNames(AdvisedNames):
    """Base of the classes that scripts build jobs with: a name that is missing is at once an error with advice.

    Attributes:
        _renamed: Old name of a method -> its present name: the old one still works.
    """

    __slots__ = ()

    _renamed: ClassVar[dict[str, str]] = {}

    if not TYPE_CHECKING:  # for type checkers, missing names stay missing

        def __getattr__(self, name: str) -> Any:
            renamed = self._renamed.get(name)
            if renamed is not None:
                warn_of_old(f"{_public(type(self)).__qualname__}.{name}", renamed)
                return getattr(self, renamed)
            if name.startswith("_"):
                raise AttributeError(_text(type(self), name), name=name, obj=self)
            # Without `obj`: Python would add a suggestion of its own.
            raise AttributeError(_text(type(self), name) + self._advice(name), name=name)


def with_advice(error: BaseException) -> BaseException:
    """The error for a name that an object does not have, with what to write instead; another one as it is."""
    if not isinstance(error, AttributeError) or not isinstance(error.obj, AdvisedNames):
        return error
    name, of = str(error.name), type(error.obj)
    if name.startswith("_"):
        return error
    return AttributeError(_text(of, name) + of._advice(name), name=name)  # noqa: SLF001 - a part of this module


def _text(cls: type, name: str) -> str:
    return f"'{_public(cls).__qualname__}' object has no attribute '{name}'"


def _snake(name: str) -> str:
    return _CAPITAL.sub("_", name).lower()


def _public(cls: type) -> type:
    """The class that users know: of a context or a state, the one whose methods it implements."""
    return next((base for base in cls.__mro__ if not base.__module__.startswith("datastream.runtime.")), cls)
