"""The REST interface of Flink's SQL gateway: sessions, statements and their results."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from datastream.environments.secret_values import hide, hide_in

from ..answers import Refused
from ..security import Reader, Writer
from ..sql.sessions import Session, SqlError
from ..tokens import Token
from .common import REFUSALS, GatewayOf

#: The versions of Flink's interface whose paths there are; a path without one is that of the latest.
VERSIONS = ("v1", "v2", "v3", "v4")
#: The version of Flink that is asked for by clients.
_FLINK = {"productName": "Apache Flink", "version": "2.3.0"}
_HANDLE = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FORMS = ("JSON", "PLAIN_TEXT")
#: How long a statement that configures a session is waited for, and how often its state is looked at.
_CONFIGURE_S, _LOOK_S = 60.0, 0.05


class _OfSql(APIRoute):
    """Reports refusals in the form of Flink's SQL gateway, whose clients show the second text."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except SqlError as error:
                told = f"<Exception on server side:\n{hide(str(error))}\nEnd of exception on server side>"
                return JSONResponse({"errors": ["Internal server error.", told]}, 500)

        return handled


class OpenSession(BaseModel):
    """A session to open."""

    sessionName: str | None = None
    properties: dict[str, str] | None = None


class ExecuteStatement(BaseModel):
    """A statement to carry out."""

    statement: str | None = None
    executionTimeout: int | None = None
    executionConfig: dict[str, str] | None = None


class CompleteStatement(BaseModel):
    """A statement whose next word is looked for."""

    statement: str = ""
    position: int = Field(0, ge=0)


class SplitStatements(BaseModel):
    """A text of several statements."""

    statement: str


def sql_routes(version: str | None) -> APIRouter:
    """The routes of one version.

    Args:
        version: Such as ``v2``; None: paths without one.
    """
    prefix = "" if version is None else f"/{version}"
    router = APIRouter(
        prefix=prefix,
        tags=["SQL: Flink's SQL gateway"],
        responses=REFUSALS,
        route_class=_OfSql,
        include_in_schema=version is None,
    )
    named = version or VERSIONS[-1]

    @router.get("/info", summary="The product and version whose interface this is")
    def info(reader: Reader) -> dict[str, str]:
        return _FLINK

    @router.get("/api_versions", summary="The versions of the interface")
    def api_versions(reader: Reader) -> dict[str, list[str]]:
        return {"versions": [each.upper() for each in VERSIONS]}

    @router.post("/sessions", summary="Open a session")
    def open_session(gateway: GatewayOf, writer: Writer, body: OpenSession | None = None) -> dict[str, str]:
        properties = (body and body.properties) or {}
        return {"sessionHandle": gateway.sql.open(writer.id, properties)}

    @router.get("/sessions/{session}", summary="Show a session's settings, without secrets")
    def show_session(gateway: GatewayOf, reader: Reader, session: str) -> dict[str, Any]:
        return {"properties": hide_in(_find(gateway, session, reader).ask("properties"))}

    @router.delete("/sessions/{session}", summary="Close a session; its queries and jobs without an end do so, too")
    def close_session(gateway: GatewayOf, writer: Writer, session: str) -> dict[str, str]:
        gateway.sql.close(_handle("session_handle", session), writer.id)
        return {"status": "CLOSED"}

    @router.post("/sessions/{session}/heartbeat", summary="Keep a session that would be idle")
    def heartbeat(gateway: GatewayOf, writer: Writer, session: str) -> dict[str, str]:
        _find(gateway, session, writer)
        return {}

    @router.post("/sessions/{session}/configure-session", summary="Carry out a statement such as SET or CREATE TABLE")
    def configure(gateway: GatewayOf, writer: Writer, session: str, body: ExecuteStatement) -> dict[str, str]:
        _configure(_find(gateway, session, writer), body)
        return {}

    @router.get("/sessions/{session}/complete-statement", summary="What may come next in a statement")
    def complete(
        gateway: GatewayOf, reader: Reader, session: str, body: Annotated[CompleteStatement, Body()]
    ) -> dict[str, list[str]]:
        found = _find(gateway, session, reader)
        return {"candidates": found.ask("complete", statement=body.statement, position=body.position)}

    @router.post("/sessions/{session}/split-statements", summary="The statements of a text")
    def split(gateway: GatewayOf, reader: Reader, session: str, body: SplitStatements) -> dict[str, Any]:
        return {"statements": _find(gateway, session, reader).ask("split", text=body.statement)}

    @router.post("/sessions/{session}/statements", summary="Begin to carry out a statement")
    def execute(gateway: GatewayOf, writer: Writer, session: str, body: ExecuteStatement) -> dict[str, str]:
        return {"operationHandle": _submit(_find(gateway, session, writer), body)}

    operations = "/sessions/{session}/operations/{operation}"

    @router.get(operations + "/status", summary="The state of a statement")
    def status(gateway: GatewayOf, reader: Reader, session: str, operation: str) -> dict[str, str]:
        found = _find(gateway, session, reader)
        return {"status": found.ask("status", handle=_handle("operation_handle", operation))}

    @router.post(operations + "/cancel", summary="Cancel a statement that has not ended")
    def cancel(gateway: GatewayOf, writer: Writer, session: str, operation: str) -> dict[str, str]:
        found = _find(gateway, session, writer)
        return {"status": found.ask("cancel", handle=_handle("operation_handle", operation))}

    @router.delete(operations + "/close", summary="Forget a statement; a query ends")
    def close(gateway: GatewayOf, writer: Writer, session: str, operation: str) -> dict[str, str]:
        _find(gateway, session, writer).ask("close", handle=_handle("operation_handle", operation))
        return {"status": "CLOSED"}

    @router.get(operations + "/result/{token}", summary="A page of a statement's result")
    def fetch(
        gateway: GatewayOf,
        reader: Reader,
        session: str,
        operation: str,
        token: str,
        row_format: Annotated[str, Query(alias="rowFormat")] = "JSON",
    ) -> Response:
        form = row_format.upper() if version != "v1" else "JSON"
        if form not in _FORMS:
            raise Refused(400, f'Cannot resolve query parameter (rowFormat) from value "{row_format[:100]}".')
        if not token.isdecimal() or len(token) > 18:
            raise Refused(400, f'Cannot resolve path parameter (token) from value "{token[:100]}".')
        handle = _handle("operation_handle", operation)
        page = _find(gateway, session, reader).ask("fetch", handle=handle, token=int(token), form=form)
        if page.get("job") is not None and not page["query"]:
            gateway.sql_jobs.look_safely()  # who hears its id finds the job
        uri = f"/{named}/sessions/{session}/operations/{operation}/result/"
        return Response(_page(page, int(token), form, uri, version), media_type="application/json")

    return router


def _page(page: dict[str, Any], token: int, form: str, uri: str, version: str | None) -> str:
    """A page as Flink writes it. Its rows are JSON already."""
    query = "" if version == "v1" else f"?rowFormat={form}"
    if not page:
        return json.dumps({"resultType": "NOT_READY", "nextResultUri": f"{uri}{token}{query}"})
    said: dict[str, Any] = {
        "resultType": "EOS" if page["ended"] else "PAYLOAD",
        "isQueryResult": page["query"],
        **({} if page["job"] is None else {"jobID": page["job"]}),
        "resultKind": page["kind"],
    }
    head = json.dumps(said)[:-1]
    columns = json.dumps(page["columns"], ensure_ascii=False)
    rest = "" if page["ended"] else f', "nextResultUri": {json.dumps(f"{uri}{token + 1}{query}")}'
    return f'{head}, "results": {{"columns": {columns}, "rowFormat": "{form}", "data": {page["rows"]}}}{rest}}}'


def _handle(what: str, text: str) -> str:
    if re.fullmatch(_HANDLE, text) is None:
        raise Refused(400, f'Cannot resolve path parameter ({what}) from value "{text[:100]}".')
    return text


def _find(gateway: GatewayOf, session: str, token: Token) -> Session:
    return gateway.sql.find(_handle("session_handle", session), token.id)


def _submit(session: Session, body: ExecuteStatement, configure: bool = False) -> str:
    if body.executionTimeout is not None and body.executionTimeout > 0:
        raise SqlError("SqlGatewayService doesn't support timeout mechanism now.")
    handle: str = session.ask(
        "submit", text=body.statement or "", config=body.executionConfig or {}, configure=configure
    )
    return handle


def _configure(session: Session, body: ExecuteStatement) -> None:
    handle = _submit(session, body, configure=True)
    until = time.monotonic() + _CONFIGURE_S
    try:
        while not session.ask("fetch", handle=handle, token=0, form="JSON"):
            if time.monotonic() > until:
                raise SqlError(f"Failed to configure session: the statement takes longer than {_CONFIGURE_S:.0f} s")
            time.sleep(_LOOK_S)
    finally:
        session.ask("close", handle=handle)
