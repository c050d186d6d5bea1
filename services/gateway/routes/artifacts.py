"""FLIP-38's REST interface: upload artifacts, list and delete them, see their plans, and run them."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.responses import FileResponse
from pydantic import ValidationError as WrongForm
from sqlalchemy import Row
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from datastream.config.known_keys import remedy_of
from datastream.environments.secret_values import hide, hide_arguments, shown_value

from ..answers import Refused
from ..audit import note
from ..gateway import Gateway
from ..jobs import NewJob
from ..launchers.launcher import EngineAway
from ..launchers.refusal import LaunchRefused
from ..launchers.sql import SqlLauncher
from ..models import ArtifactList, Nothing, PlanAnswer, Run, RunInQuery, Started, Uploaded
from ..security import Reader, Writer
from .common import REFUSALS, GatewayOf, Id

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_UPLOAD = {
    "requestBody": {
        "required": True,
        "description": "The file itself, with ?name=, or a form with one file.",
        "content": {
            **dict.fromkeys(
                ("application/octet-stream", "application/zip", "application/gzip", "text/x-python"), _BINARY
            ),
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["artifact"],
                    "properties": {"artifact": {"type": "string", "format": "binary"}},
                }
            },
        },
    }
}
#: Names of a run's parameters in the query; most are Flink's.
_IN_QUERY = [field.alias or name for name, field in RunInQuery.model_fields.items()]
_JAVA = ("application/java-archive", "application/x-java-archive")
_SAVEPOINT_KEY = "execution.checkpointing.savepoint-dir"


def run_parameters(request: Request, query: Annotated[RunInQuery, Query()]) -> dict[str, Any]:
    """What of a run is in the query, by the names of `Run`."""
    for key in request.query_params:
        if key not in _IN_QUERY:
            raise Refused(400, f"there is no parameter {key[:100]!r}; there are {', '.join(_IN_QUERY)}")
    return query.given()


InQuery = Annotated[dict[str, Any], Depends(run_parameters)]


def artifact_routes(prefix: str, noun: str, old: bool) -> APIRouter:
    """The routes, below a path.

    Args:
        prefix: ``/artifacts``, or Flink's old ``/jars``.
        noun: What the description calls it.
        old: The path is Flink's old one.
    """
    router = APIRouter(prefix=prefix, tags=[noun], responses=REFUSALS, deprecated=old or None)

    @router.get("", response_model=ArtifactList, summary="List the artifacts, the newest first")
    def list_artifacts(request: Request, gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
        files = [shown(row) for row in gateway.artifacts.all()]
        return {"address": str(request.base_url).rstrip("/"), "files": files}

    @router.post("/upload", response_model=Uploaded, openapi_extra=_UPLOAD, summary="Upload a script or an archive")
    async def upload(
        request: Request,
        gateway: GatewayOf,
        writer: Writer,
        name: Annotated[str | None, Query(max_length=1000, description="The file's name.")] = None,
    ) -> dict[str, Any]:
        try:
            row = await _received(request, gateway, name)
        except ClientDisconnect:
            raise Refused(400, "the upload was cut off") from None
        note(artifact=row.id)
        return {**shown(row), "filename": row.name}

    @router.delete("/{id}", response_model=Nothing, summary="Delete an artifact")
    def delete(id: Id, gateway: GatewayOf, writer: Writer) -> dict[str, Any]:
        gateway.artifacts.delete(id)
        return {}

    @router.get("/{id}/content", response_class=FileResponse, summary="Download an artifact")
    def content(id: Id, gateway: GatewayOf, reader: Reader) -> FileResponse:
        row = gateway.artifacts.get(id)
        file = gateway.artifacts.file(row)
        if not file.is_file():
            raise Refused(404, f"the file of the artifact {id[:200]!r} has gone; upload it again")
        return FileResponse(file, media_type="application/octet-stream", filename=row.name)

    @router.get("/{id}/plan", response_model=PlanAnswer, summary="Show the plan of the artifact's first job")
    def plan(id: Id, gateway: GatewayOf, writer: Writer, query: InQuery) -> dict[str, Any]:
        return _plan(gateway, id, _run(query))

    @router.post("/{id}/plan", response_model=PlanAnswer, summary="Show the plan of the artifact's first job")
    def post_plan(
        id: Id, gateway: GatewayOf, writer: Writer, query: InQuery, body: Annotated[Run | None, Body()] = None
    ) -> dict[str, Any]:
        return _plan(gateway, id, _run(query, body))

    @router.post("/{id}/run", response_model=Started, summary="Run an artifact as a job")
    def run(
        id: Id, gateway: GatewayOf, writer: Writer, query: InQuery, body: Annotated[Run | None, Body()] = None
    ) -> dict[str, Any]:
        return {"jobid": _submit(gateway, id, _run(query, body))}

    return router


def shown(row: Row[Any]) -> dict[str, Any]:
    """An artifact as the API shows it."""
    return {
        "id": row.id,
        "name": row.name,
        "uploaded": row.uploaded_ms,
        "size": row.size,
        "sha256": row.sha256,
        "type": row.kind,
        "entry": [{"name": entry, "description": None} for entry in row.entries],
    }


async def _received(request: Request, gateway: Gateway, name: str | None) -> Row[Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in _JAVA:
        raise Refused(415, "a jar cannot be run here: jobs are Python scripts or archives, and need no connector jars")
    if kind != "multipart/form-data":
        return await gateway.artifacts.receive(name, request.stream())
    async with request.form(max_files=1, max_fields=10) as form:
        files = [value for value in form.values() if isinstance(value, UploadFile)]
        if not files:
            raise Refused(400, "the form has no file")
        return await gateway.artifacts.receive(name or files[0].filename, _chunks(files[0]))


async def _chunks(file: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await file.read(1 << 20):
        yield chunk


def _run(query: dict[str, Any], body: Run | None = None) -> Run:
    """Query and body together; what the body says wins."""
    said = {} if body is None else body.model_dump(exclude_none=True)
    try:
        return Run(**(query | said))
    except WrongForm as error:
        raise Refused(422, f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from error


def _arguments(run: Run) -> list[str]:
    if run.programArgsList is not None:
        return run.programArgsList
    try:
        return shlex.split(run.programArgs or "")
    except ValueError as error:
        raise Refused(400, f"programArgs: {error}; quote as in a shell, or give programArgsList") from error


def _module(run: Run) -> str | None:
    module = run.pythonEntryModule or run.entryClass
    if module is None or module == "__main__":
        return None
    if not all(part.isidentifier() for part in module.split(".")):
        raise Refused(400, f"pythonEntryModule: {module[:200]!r} is no module's name, such as flights.job")
    return module


def _plan(gateway: Gateway, id: str, run: Run) -> dict[str, Any]:
    row = gateway.artifacts.get(id)
    file = gateway.artifacts.file(row)
    found = gateway.plans.of(file, row.kind, _module(run), run.parallelism, _arguments(run))
    graph = found["plan"]
    about = {"jid": "0" * 32, "name": graph["name"], "type": "BATCH" if graph["batch"] else "STREAMING"}
    return {"plan": {**about, **found["flink"]}, "graph": graph}


def _submit(gateway: Gateway, id: str, run: Run) -> str:
    """Start a job; its id."""
    row = gateway.artifacts.get(id)
    launcher = gateway.launchers.get(run.launcher or gateway.launcher)
    if launcher is None or launcher.name == SqlLauncher.name:
        there = ", ".join(name for name in gateway.launchers if name != SqlLauncher.name)
        raise Refused(400, f"there is no launcher {str(run.launcher)[:100]!r}; this gateway has {there}")
    if run.name is not None and not run.name.isprintable():
        raise Refused(400, "a job's name has characters that can be printed")
    for key in run.flinkConfiguration or ():
        remedy = remedy_of(key)
        if remedy is not None:
            raise Refused(400, f"flinkConfiguration: there is no setting {key[:200]!r}; {remedy}")
    away = _why_away(launcher)
    if away is not None:
        raise Refused(503, f"the launcher {launcher.name!r} cannot start jobs: {away}", {"Retry-After": "10"})
    args, module = _arguments(run), _module(run)
    properties = dict(run.flinkConfiguration or {})
    jid = secrets.token_hex(16)
    folder = gateway.jobs.folder(jid)
    properties.setdefault(_SAVEPOINT_KEY, launcher.savepoint_dir(jid, folder))
    given = {
        "module": module if row.kind == "archive" else None,
        "args": args or None,
        **run.options(),
        "checkpoint-dir": run.checkpointDir or launcher.checkpoint_dir(folder),
        "properties": properties,
    }
    settings = {name: value for name, value in given.items() if value is not None}
    job = gateway.jobs.add(NewJob(jid, id, launcher.name, run.name, _request(run, args), settings))
    try:
        note(job=job.id, artifact=id)
        gateway.supervisor.launch(job)
    except LaunchRefused as error:
        gateway.drop(job)
        raise Refused(400, str(error)) from error
    except (EngineAway, OSError) as error:
        gateway.drop(job)
        raise Refused(503, f"the job could not be started: {error}", {"Retry-After": "10"}) from error
    return str(job.id)


def _why_away(launcher: Any) -> str | None:
    try:
        found: str | None = launcher.availability()
    except EngineAway as error:
        return str(error)
    return found


def _request(run: Run, args: list[str]) -> dict[str, Any]:
    """A request without its secrets, to be kept and shown."""
    said = run.model_dump(exclude_none=True, exclude={"programArgs", "programArgsList"})
    if args:
        said["programArgsList"] = hide_arguments(args)
    if run.flinkConfiguration:
        said["flinkConfiguration"] = {key: shown_value(key, value) for key, value in run.flinkConfiguration.items()}
    return {name: hide(value) if isinstance(value, str) else value for name, value in said.items()}
