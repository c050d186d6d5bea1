"""Where the next request continues."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError, cut


@dataclass(frozen=True)
class HttpCursor:
    """What was read last, for the query of the next request.

    Exactly one of `field`, `response` and `header` says where the value is. Where a response has none, the last one
    stays.

    Attributes:
        parameter: The parameter of the query that gets the value.
        field: In the last record: a name, or names with dots between them. Records must come in rising order.
        response: In the body: a name, or names with dots between them.
        header: A header of the response.
        initial: Value of the first request; None: it goes without the parameter.
        inclusive: Whether the server sends again the records whose `field` is equal to the value. They are dropped if
            they are the same as before.

    Raises:
        ValidationError: A value is wrong.
    """

    parameter: str
    field: str | None = None
    response: str | None = None
    header: str | None = None
    initial: str | int | None = None
    inclusive: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.parameter, str) or not self.parameter:
            raise ValidationError(f"HttpCursor: parameter must be a text that is not empty, got {cut(self.parameter)}")
        given = [each for each in (self.field, self.response, self.header) if each is not None]
        if len(given) != 1 or not isinstance(given[0], str) or not given[0]:
            raise ValidationError("HttpCursor needs exactly one of field, response and header, as a text")
        if self.inclusive and self.field is None:
            raise ValidationError("HttpCursor: inclusive needs field, by which equal records are found")
