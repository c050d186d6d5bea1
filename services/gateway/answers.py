"""Errors as the API returns them, in Flink's form: ``{"errors": ["text"]}``."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import JSONResponse

from datastream.environments.secret_values import hide

_LOGGER = logging.getLogger("datastream")


class Refused(Exception):
    """A request that is refused.

    Args:
        status: HTTP's status code.
        text: Why, for the one who asked.
        headers: Of the answer.
    """

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.headers = status, text, headers


def refusal(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The answer to a request that is refused."""
    return JSONResponse({"errors": [hide(text)]}, status, None if headers is None else dict(headers))


def database_away(error: SQLAlchemyError) -> Refused:
    """The answer to a request that needs the database, which does not answer."""
    _LOGGER.error("the database does not answer: %s", type(error).__name__, exc_info=error)
    return Refused(503, "the gateway's database does not answer; try again later", {"Retry-After": "10"})
