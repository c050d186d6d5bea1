"""The name of a metric that a function or a connector has registered."""

from __future__ import annotations

from typing import Any

#: The name of a group, and the value where the group is a variable.
Group = tuple[str, str | None]


class MetricName(str):
    """The operator's uid, the groups and the metric's own name, joined by dots; and each of them.

    Attributes:
        uid: The operator's.
        groups: The groups that the metric is in, from the outermost on.
        name: The metric's own name.
    """

    __slots__ = ("uid", "groups", "name")

    uid: str
    groups: tuple[Group, ...]
    name: str

    def __new__(cls, uid: str, groups: tuple[Group, ...], name: str) -> MetricName:
        parts = (part for group in groups for part in group if part is not None)
        made = super().__new__(cls, ".".join((uid, *parts, name)))
        made.uid, made.groups, made.name = uid, groups, name
        return made

    def __reduce__(self) -> Any:
        return MetricName, (self.uid, self.groups, self.name)
