"""What routes share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request

from ..gateway import Gateway
from ..models import Errors


def _gateway(request: Request) -> Gateway:
    gateway: Gateway = request.app.state.gateway
    return gateway


#: Given to each route.
GatewayOf = Annotated[Gateway, Depends(_gateway)]
#: Without zero bytes, which PostgreSQL's texts do not have.
Id = Annotated[str, Path(max_length=300, pattern=r"^[^\x00]*$")]

#: The answers that any route may give.
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Errors, "description": text}
    for status, text in (
        (400, "The request, or what it brings, is wrong."),
        (401, "No token, or one that does not count."),
        (403, "The token's scope does not reach."),
        (404, "There is no such thing."),
        (408, "The request's body has not come in time."),
        (409, "It does not go together with what is there."),
        (413, "The request is too large."),
        (415, "That kind of file is not taken."),
        (422, "The request's form is wrong."),
        (429, "Too many requests, or too many jobs."),
        (507, "The gateway's disk is full."),
        (503, "What starts drivers does not answer."),
    )
}
