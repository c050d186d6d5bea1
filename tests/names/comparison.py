"""The attributes of PyFlink's classes beside ours: whether each is there, and takes the calls that PyFlink takes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.names.differences import reason
from tests.names.here import ABSENT, found, refuses
from tests.names.reference import SURFACE, Parameter, parameters
from tests.names.surface import signature, written

#: Defaults that stand for nothing.
_EMPTY = {"[]", "()", "{}", "None"}


@dataclass(frozen=True)
class Attribute:
    """An attribute of a class of PyFlink.

    Attributes:
        module: Of the class.
        cls: The class; empty for a function of the module.
        name: Of the attribute.
        theirs: What it is in PyFlink; see `tests.names.surface`.
    """

    module: str
    cls: str
    name: str
    theirs: str

    @property
    def path(self) -> str:
        """Such as ``Table.select``."""
        return f"{self.cls}.{self.name}" if self.cls else self.name

    @property
    def is_here(self) -> bool:
        return self._ours is not ABSENT

    @property
    def is_refused(self) -> bool:
        return self.is_here and not isinstance(self._ours, type) and refuses(found(self.module, self.path))

    @property
    def is_from_java(self) -> bool:
        """Whether only PyFlink itself calls it, with an object of Java."""
        return any(p.name.startswith(("j_", "_j_", "java_")) for p in parameters(self.theirs))

    @property
    def missed(self) -> list[str]:
        """What a call as in PyFlink would miss: parameters by name, or the kind of the attribute."""
        kind, _, of_it = self.theirs.partition("(")
        if kind in ("property", "class", "member") or self.theirs == "attribute":
            return [] if self._kind != "method" else [kind]
        if kind.startswith("= "):
            return [] if written(getattr(self._ours, "value", self._ours)) == self.theirs else [self.theirs]
        if kind != "" and self._kind == "method" and self.cls:
            return [kind.strip()]  # it is called by the class
        if self.is_from_java:
            return []
        special = self.name.startswith("__") and self.name not in ("__init__", "__call__")
        return [] if special else missed(f"({of_it}", self._signature)

    @property
    def _ours(self) -> Any:
        """What stands in the class; or `ABSENT`."""
        owner = found(self.module, self.cls)
        if owner is ABSENT or not self.cls:
            return found(self.module, self.name)
        if self.name.startswith("__") and not any(self.name in vars(c) for c in owner.__mro__ if c is not object):
            return object.__init__ if self.name == "__init__" else ABSENT
        of_objects = any(self.name in inspect.get_annotations(each) for each in owner.__mro__)
        return inspect.getattr_static(owner, self.name, None if of_objects else ABSENT)

    @property
    def _kind(self) -> str:
        ours = self._ours
        if inspect.isfunction(ours):
            return "method"
        return "property" if isinstance(ours, property) else "other"

    @property
    def _signature(self) -> str:
        ours = self._ours
        if ours is object.__init__:
            return "()"
        if isinstance(ours, (staticmethod, classmethod, property)) or not self.cls:
            ours = found(self.module, self.path) if not isinstance(ours, property) else ours.fget
        if inspect.isfunction(ours) or inspect.ismethod(ours):
            return signature(ours, bound=bool(self.cls) and inspect.isfunction(self._ours))
        return signature(found(self.module, self.path))


def missed(theirs: str, ours: str) -> list[str]:
    """The parameters that a call as in PyFlink would miss, or would find with another default."""
    wanted, own = parameters(theirs), parameters(ours)
    by_place = [p for p in own if p.kind in ("", "/")]
    found = [each.name for i, each in enumerate(wanted) if not _fits(each, i, own, by_place)]
    known = {each.name for each in wanted}
    more = [p.name for p in own if p.default is None and p.name not in known and p.kind not in ("*", "**")]
    return found + more


def _fits(theirs: Parameter, place: int, own: list[Parameter], by_place: list[Parameter]) -> bool:
    if theirs.kind in ("*", "**"):
        return any(p.kind == theirs.kind for p in own)
    if theirs.kind == "keyword":
        same = [p for p in own if p.name == theirs.name]
    else:
        at_place = by_place[place : place + 1]
        same = [p for p in at_place if theirs.kind == "/" or (p.name == theirs.name and p.kind == "")]
    # What PyFlink needs may have a default here. An empty collection may be another, which nobody can change.
    return any(theirs.default in (None, p.default) or {p.default, theirs.default} <= _EMPTY for p in same)


@cache
def attributes(module: str, cls: str) -> tuple[Attribute, ...]:
    """Those of a class, with those that its bases give it."""
    of_it: dict[str, str] = {}
    for owner, name in reversed([(module, cls), *bases(module, cls)]):
        of_it |= SURFACE[owner]["classes"][name]["attributes"]
    return tuple(Attribute(module, cls, name, theirs) for name, theirs in of_it.items())


def bases(module: str, cls: str) -> list[tuple[str, str]]:
    """The recorded classes that a class has its attributes from: their modules and names."""
    found = [base.partition(":")[::2] for base in SURFACE[module]["classes"][cls]["bases"]]
    return [(owner, name) for owner, name in found if name in SURFACE.get(owner, {"classes": ()})["classes"]]


@dataclass(frozen=True)
class Row:
    """How the attributes of a class fare.

    Attributes:
        cls: Its module and name.
        attributes: How many PyFlink has.
        here: How many of them are here and are not refused.
        fit: How many of these take each call that PyFlink takes.
        reasons: What differs -> why; None: nobody knows.
    """

    cls: str
    attributes: int
    here: int
    fit: int
    reasons: dict[str, str | None]

    @property
    def unexplained(self) -> list[str]:
        """What differs without a reason."""
        return [path for path, why in self.reasons.items() if why is None]

    @property
    def share(self) -> float:
        """How many of a hundred attributes take the calls of PyFlink, of those without a reason to differ."""
        excused = {path.partition("(")[0] for path, why in self.reasons.items() if why is not None}
        counted = self.attributes - len(excused)
        return 100 * self.fit / counted if counted else 100


@cache
def row(module: str, cls: str) -> Row:
    """The row of a class in the table."""
    gone, other = [], []
    for each in attributes(module, cls):
        if not each.is_here or each.is_refused:
            gone.append(each.path)
        else:
            other += [f"{each.path}({what})" for what in each.missed]
    here = len(attributes(module, cls)) - len(gone)
    fit = here - len({path.partition("(")[0] for path in other})
    owners = [cls, *(name for _, name in bases(module, cls))]
    reasons = {path: reason(module, path.removeprefix(f"{cls}."), owners) for path in gone + other}
    return Row(f"{module}.{cls}", len(attributes(module, cls)), here, fit, reasons)


def compared() -> list[tuple[str, str]]:
    """The modules and names of the classes that are here. What became of the others, docs/differences.md says."""
    every = [(module, cls) for module, content in SURFACE.items() for cls in content["classes"]]
    return [(module, cls) for module, cls in every if found(module, cls) is not ABSENT]


def functions() -> list[Attribute]:
    """The functions of all modules that are here."""
    every = [Attribute(module, "", *each) for module in SURFACE for each in SURFACE[module]["functions"].items()]
    return [each for each in every if each.is_here]
