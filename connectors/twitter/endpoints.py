"""Which stream is read: the filtered one, with its rules, or the sample of all posts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from datastream.connectors.server_settings import checked_number
from datastream.errors import ValidationError, WrongType, cut

#: The longest gap that X fills.
_MOST_BACKFILL = 5
#: Made by the source.
_OWN_PARAMETERS = ("backfill_minutes", "partition")


class StreamRule(NamedTuple):
    """A rule of the filtered stream.

    Attributes:
        value: What posts must match, in X's language, such as ``apache (spark OR flink) lang:en``.
        tag: A name for the rule, which comes with each post that it matched; None: none.
    """

    value: str
    tag: str | None = None


class StreamingEndpoint:
    """A stream of X; one of the classes below.

    Args:
        parameters: Of the request, such as ``{"tweet.fields": "created_at,lang"}``; a sequence of texts is joined by
            commas.
        backfill_minutes: Each connection first gets the posts of its last minutes, at most 5: so a gap between two
            connections is filled. X lets some plans alone ask for that. 0: gaps stay.

    Attributes:
        path: Of the URL.

    Raises:
        ValidationError: A parameter is not possible.
    """

    path: ClassVar[str]

    def __init__(self, parameters: Mapping[str, str | Sequence[str]] | None = None, backfill_minutes: int = 0) -> None:
        kind = type(self).__name__
        self.backfill_minutes = checked_number(backfill_minutes, f"{kind}: backfill_minutes", 0, _MOST_BACKFILL)
        self.parameters: dict[str, str] = {}
        for name, value in (parameters or {}).items():
            if name in _OWN_PARAMETERS:
                raise ValidationError(
                    f"{kind}: the parameter {name!r} cannot be set here; backfill_minutes is an argument of its own, "
                    "and a stream is read by one connection"
                )
            if not isinstance(name, str) or not isinstance(value, (str, list, tuple)):
                raise WrongType(f"{kind}: parameters are texts or lists of texts, got {cut(name)}: {cut(value)}")
            self.parameters[name] = value if isinstance(value, str) else ",".join(value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(parameters={self.parameters!r}, backfill_minutes={self.backfill_minutes})"


class FilteredStreamEndpoint(StreamingEndpoint):
    """The posts that match rules (``GET /2/tweets/search/stream``).

    Rules belong to the app, and stay when the job ends.

    Args:
        rules: The rules that the app shall have, as `StreamRule` or as their values; those that are missing are added
            when the job starts. None: those that it has.
        parameters: See `StreamingEndpoint`.
        backfill_minutes: See `StreamingEndpoint`.
        replace_rules: Delete the other rules of the app. Default: they are an error, as their posts would come too.

    Raises:
        ValidationError: A rule or parameter is not possible.
    """

    path = "/2/tweets/search/stream"

    def __init__(
        self,
        rules: Sequence[StreamRule | str] | None = None,
        parameters: Mapping[str, str | Sequence[str]] | None = None,
        backfill_minutes: int = 0,
        replace_rules: bool = False,
    ) -> None:
        super().__init__(parameters, backfill_minutes)
        self.rules = None if rules is None else _rules(rules)
        self.replace_rules = bool(replace_rules)
        if self.rules is None and self.replace_rules:
            raise ValidationError("FilteredStreamEndpoint: replace_rules=True needs the rules to replace others by")


class SampleStreamEndpoint(StreamingEndpoint):
    """About one in a hundred of all posts (``GET /2/tweets/sample/stream``)."""

    path = "/2/tweets/sample/stream"


class EndpointInitializer(ABC):
    """Makes the endpoint of a `TwitterSource`, as in Flink."""

    @abstractmethod
    def create_endpoint(self) -> StreamingEndpoint:
        """The stream to read. Called once, in the driver."""


def _rules(given: Sequence[StreamRule | str]) -> tuple[StreamRule, ...]:
    if isinstance(given, str) or not given:
        raise ValidationError(
            f"FilteredStreamEndpoint needs a list of at least one rule, or None for the app's own; got {cut(given)}"
        )
    rules = [rule if isinstance(rule, StreamRule) else StreamRule(rule) for rule in given]
    for rule in rules:
        if not isinstance(rule.value, str) or not rule.value.strip():
            raise ValidationError(f"FilteredStreamEndpoint: a rule is a text such as 'spark lang:en', got {cut(rule)}")
        if rule.tag is not None and not isinstance(rule.tag, str):
            raise ValidationError(f"FilteredStreamEndpoint: the tag of a rule is a text, got {cut(rule)}")
    values = [rule.value for rule in rules]
    for value in values:
        if values.count(value) > 1:
            raise ValidationError(f"FilteredStreamEndpoint: the rule {value!r} is there twice; X keeps it once")
    return tuple(rules)
