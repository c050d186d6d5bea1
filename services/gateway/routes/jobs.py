"""Jobs: how they are, and what is to be done with them."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Any, Literal

from anyio import from_thread
from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy import Row

from datastream.environments.secret_values import hide_in, secrets_of
from datastream.services.runner.wall_clock import now_ms

from ..answers import Refused
from ..driver_client import DriverError
from ..figures import Window, bottleneck, is_backpressured, operators_now
from ..gateway import Gateway
from ..job_states import ACTIVE, ENDED
from ..launchers.launcher import EngineAway
from ..limits import PLACE, Place
from ..log_lines import FIGURES, entry
from ..models import (
    BIG,
    Checkpoints,
    Exceptions,
    JobDetails,
    JobIds,
    JobList,
    Metrics,
    Nothing,
    PlanAnswer,
    Requested,
    SavepointStatus,
    Stop,
    TakeSavepoint,
)
from ..security import Reader, Writer
from .common import REFUSALS, GatewayOf, Id

router = APIRouter(prefix="/jobs", tags=["jobs"], responses=REFUSALS)

_NDJSON = "application/x-ndjson"
#: Logs that are followed at once by each token, and in all; each holds a thread.
_FOLLOWED_BY_TOKEN, _FOLLOWED = 8, 32
#: Characters of a line of a log, and bytes that are sent at once.
_LINE, _PIECE = 32 << 10, 32 << 10
#: Lines at the end of a log, of which one may hold figures.
_LAST_WORDS = 5


class _Follower:
    """Holds one of the places of those who follow a log, until it is closed or no longer referenced."""

    _places: Counter[str] = Counter()
    _lock = threading.Lock()

    def __init__(self, token: str) -> None:
        self._token, self._held = token, False
        with self._lock:
            if self._places[token] >= _FOLLOWED_BY_TOKEN or self._places.total() >= _FOLLOWED:
                raise Refused(429, "too many logs are followed; try again later", {"Retry-After": "10"})
            self._places[token] += 1
            self._held = True

    def close(self) -> None:
        with self._lock:
            held, self._held = self._held, False
            if held:
                self._places[self._token] -= 1
                if not self._places[self._token]:
                    del self._places[self._token]

    __del__ = close


@router.get("", response_model=JobIds, summary="List the jobs' ids and states")
def list_jobs(gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    return {"jobs": [{"id": row.id, "status": row.state} for row in gateway.jobs.ids()]}


@router.get(
    "/overview", response_model=JobList, response_model_by_alias=True, summary="List the jobs, active ones first"
)
def overview(
    gateway: GatewayOf,
    reader: Reader,
    limit: Annotated[int, Query(ge=1, le=10_000, description="The highest number of entries.")] = 500,
) -> dict[str, Any]:
    rows = gateway.jobs.latest(limit)
    rates = gateway.jobs.last_rates(row.id for row in rows if row.state in ACTIVE)
    places = gateway.jobs.last_savepoints(row.id for row in rows)
    return {"jobs": [shown(row, rates.get(row.id), places.get(row.id)) for row in rows]}


@router.get("/{jid}", response_model=JobDetails, summary="Show a job with its plan and latest metrics")
def details(jid: Id, gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    rate = gateway.jobs.last_rates([jid]).get(jid) if row.state in ACTIVE else None
    place = gateway.jobs.last_savepoints([jid]).get(jid)
    return {
        **shown(row, rate, place),
        **_without_secrets(row, {"plan": row.plan, "snapshot": row.snapshot, "trace": row.trace}),
    }


@router.get("/{jid}/plan", response_model=PlanAnswer, summary="Show a job's plan")
def plan(jid: Id, gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    if row.plan is None:
        raise Refused(404, "the plan is not known yet: the job's script has not reached env.execute()")
    nodes = [
        {
            "id": str(node["id"]),
            "description": node["name"],
            "parallelism": node["parallelism"],
            "inputs": [
                {"num": number, "id": str(before["id"]), "ship_strategy": before["ship_strategy"]}
                for number, before in enumerate(node["predecessors"])
            ],
        }
        for node in row.plan["nodes"]
    ]
    about = {"jid": row.id, "name": row.name, "type": "BATCH" if row.plan["batch"] else "STREAMING"}
    return {"plan": {**about, "nodes": nodes}, "graph": row.plan}


@router.get("/{jid}/metrics", response_model=Metrics, summary="Show points of charts, and how the operators are now")
def metrics(
    jid: Id, gateway: GatewayOf, reader: Reader, since: Annotated[int, Query(ge=0, le=BIG)] = 0
) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    window = gateway.supervisor.followed(jid).window if row.state in ACTIVE else Window()
    if window.now is None and row.snapshot is not None:
        window = Window()
        window.add(row.snapshot)
    points = gateway.jobs.samples(jid, since)
    operators = operators_now(window, row.plan)
    return {
        "samples": points,
        "seq": points[-1]["seq"] if points else since,
        "operators": operators,
        "bottleneck": bottleneck(operators, row.plan),
        "backpressured": is_backpressured(window),
    }


@router.get("/{jid}/exceptions", response_model=Exceptions, summary="Show what went wrong, newest first")
def exceptions(jid: Id, gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    root = None if row.error is None else row.trace or row.error
    return _without_secrets(row, {"root-exception": root, "exceptions": gateway.jobs.exceptions(jid)})


@router.get("/{jid}/checkpoints", response_model=Checkpoints, summary="Show committed epochs and savepoints")
def checkpoints(jid: Id, gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    snapshot = row.snapshot or {}
    history = list(reversed(snapshot.get("last_epochs", ())))
    failures = [one for one in gateway.jobs.exceptions(jid) if one["kind"] in ("restart", "epoch", "driver")]
    restored = row.attempt - 1 + bool(row.settings.get("from-savepoint"))
    counts = {"completed": snapshot.get("epochs", 0), "restored": restored, "failed": len(failures)}
    return _without_secrets(
        row,
        {
            "counts": counts,
            "latest": history[0] if history else None,
            "history": history,
            "savepoints": [_savepoint(one) for one in gateway.jobs.savepoints(jid)],
            "directory": snapshot.get("checkpoint") or row.settings.get("checkpoint-dir"),
        },
    )


@router.get(
    "/{jid}/logs",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {}}, "description": "A JSON object a line."}},
    summary="Show or follow the log of a job's driver",
)
def logs(
    jid: Id,
    request: Request,
    gateway: GatewayOf,
    reader: Reader,
    lines: Annotated[int, Query(ge=0, le=100_000, description="The number of last lines.")] = 200,
    follow: Annotated[bool, Query(description="Go on until the job has ended.")] = False,
    attempt: Annotated[int | None, Query(ge=1, le=1_000_000, description="Default: the latest.")] = None,
) -> Response:
    row = gateway.jobs.get(jid)
    if attempt is not None and attempt > row.attempt:
        raise Refused(404, f"the job has no attempt {attempt}: the latest is {row.attempt}")
    follower = None
    if follow:
        follower = _Follower(reader.id)
        place: Place | None = request.scope.get(PLACE)
        if place is not None:  # who follows has a place of another kind
            from_thread.run_sync(place.leave)
    try:
        found = _lines(gateway, row, lines, follow, attempt or row.attempt)
        first = next(found, None)  # an engine that is away is told by the status
    except EngineAway as error:
        raise Refused(503, f"the log cannot be read: {error}", {"Retry-After": "10"}) from error
    if not follow:
        shown = _shown(chain(() if first is None else (first,), found), _secrets(row))
        return StreamingResponse(_in_pieces(shown), media_type=_NDJSON)
    return StreamingResponse(_streamed(first, found, follower, _secrets(row)), media_type=_NDJSON)


@router.patch("/{jid}", response_model=Nothing, status_code=202, summary="Cancel a job")
def cancel(
    jid: Id,
    gateway: GatewayOf,
    writer: Writer,
    mode: Annotated[Literal["cancel"], Query(description="As Flink has it.")] = "cancel",
) -> dict[str, Any]:
    gateway.supervisor.cancel(jid)
    return {}


@router.post("/{jid}/stop", response_model=Requested, status_code=202, summary="Stop a job with a savepoint")
def stop(jid: Id, gateway: GatewayOf, writer: Writer, body: Annotated[Stop | None, Body()] = None) -> dict[str, Any]:
    said = body or Stop()
    return _take_savepoint(gateway, jid, said.targetDirectory, True, said.drain)


@router.post("/{jid}/savepoints", response_model=Requested, status_code=202, summary="Take a savepoint")
def take_savepoint(
    jid: Id, gateway: GatewayOf, writer: Writer, body: Annotated[TakeSavepoint | None, Body()] = None
) -> dict[str, Any]:
    said = body or TakeSavepoint()
    return _take_savepoint(gateway, jid, said.target_directory, said.cancel_job, False)


@router.get("/{jid}/savepoints/{request}", response_model=SavepointStatus, summary="Show how a savepoint is")
def savepoint_status(jid: Id, request: Id, gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    one = next((one for one in gateway.jobs.savepoints(jid) if one.id == request), None)
    if one is None:
        raise Refused(404, f"the job has no savepoint request {request[:100]!r}")
    if one.status == "IN_PROGRESS":
        return {"status": {"id": "IN_PROGRESS"}, "operation": None}
    operation = {"location": one.location}
    if one.error is not None:
        operation = {"failure-cause": {"class": "SavepointFailed", "stack-trace": one.error}}
    return _without_secrets(row, {"status": {"id": "COMPLETED"}, "operation": operation})


@router.delete("/{jid}", response_model=Nothing, summary="Delete an ended job: its log, metrics and checkpoint")
def forget(jid: Id, gateway: GatewayOf, writer: Writer) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    if row.state not in ENDED:
        raise Refused(409, f"the job is {row.state}; cancel or stop it first")
    gateway.forget(row)
    return {}


def shown(row: Row[Any], rate: float | None, savepoint: str | None) -> dict[str, Any]:
    """A job as the API shows it.

    Args:
        row: From the database.
        rate: Records that it reads a second.
        savepoint: Where its latest savepoint is.
    """
    brief = row.brief
    end = row.ended_ms
    return {
        "jid": row.id,
        "name": row.name,
        "state": row.state,
        "start-time": row.created_ms,
        "end-time": -1 if end is None else end,
        "duration": max(0, (now_ms() if end is None else end) - row.created_ms),
        "last-modification": row.modified_ms,
        "artifact": {"id": row.artifact_id, "name": row.artifact_name},
        "launcher": row.launcher,
        "parallelism": brief.get("parallelism") or row.settings.get("parallelism"),
        "restarts": brief.get("restarts") or 0,
        "attempt": row.attempt,
        "epoch": brief.get("epoch"),
        "records-in": brief.get("records_in"),
        "records-out": brief.get("records_out"),
        "records-per-second": rate,
        "exit-code": row.exit_code,
        **_without_secrets(
            row,
            {
                "error": row.error,
                "checkpoint": brief.get("checkpoint") or row.settings.get("checkpoint-dir"),
                "savepoint": savepoint,
            },
        ),
        "request": row.request,
    }


def _without_secrets(row: Row[Any], answer: dict[str, Any]) -> dict[str, Any]:
    """What an answer reports of a job, without secrets: neither those of its settings nor others."""
    hidden: dict[str, Any] = hide_in(answer, _secrets(row))
    return hidden


def _secrets(row: Row[Any]) -> frozenset[str]:
    return secrets_of(row.settings.get("properties") or {}, row.settings.get("args") or ())


def _savepoint(one: Row[Any]) -> dict[str, Any]:
    return {
        "request-id": one.id,
        "kind": one.kind,
        "status": one.status,
        "directory": one.directory,
        "location": one.location,
        "error": one.error,
        "time_ms": one.created_ms,
        "duration_ms": None if one.ended_ms is None else max(0, one.ended_ms - one.created_ms),
    }


def _take_savepoint(gateway: Gateway, jid: str, directory: str | None, stop: bool, drain: bool) -> dict[str, Any]:
    row = gateway.jobs.get(jid)
    if row.state in ENDED:
        raise Refused(409, f"the job has ended already: {row.state}")
    try:
        return {"request-id": gateway.supervisor.savepoint(row, directory, stop, drain)}
    except DriverError as error:
        raise Refused(409, str(error)) from error


def _lines(gateway: Gateway, row: Row[Any], last: int, follow: bool, attempt: int) -> Iterator[str]:
    launcher = gateway.launchers.get(row.launcher)
    if launcher is None:
        raise EngineAway(f"this gateway has no launcher {row.launcher!r}")
    looked = 0.0
    goes_on = True

    def going_on() -> bool:
        nonlocal looked, goes_on
        now = time.monotonic()
        if now - looked >= 1:
            looked = now
            current = gateway.jobs.find(row.id)
            goes_on = current is not None and current.attempt == attempt and current.state in ACTIVE
        return goes_on and not gateway.closing

    launch = gateway.jobs.launch(row, attempt)
    if last and not follow:  # one more where the `figures` event, which is left out, is among the last lines
        figures = [_is_figures(line) for line in launcher.lines(launch, _LAST_WORDS, None)]
        last += any(figures[-last:])
    return launcher.lines(launch, last, going_on if follow else None)


def _streamed(
    first: str | None, rest: Iterator[str], follower: _Follower | None, secrets: frozenset[str]
) -> Iterator[bytes]:
    yield from _shown(chain(() if first is None else (first,), rest), secrets)
    if follower is not None:
        follower.close()


def _in_pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    piece = bytearray()
    for line in lines:
        piece += line
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def _shown(lines: Iterable[str], secrets: frozenset[str]) -> Iterator[bytes]:
    """The lines of a log as the API returns them."""
    for line in lines:
        if _is_figures(line):
            continue
        found = {**entry(""), "event": line[:_LINE] + " [...]"} if len(line) > _LINE else entry(line)
        yield json.dumps(hide_in(found, secrets)).encode() + b"\n" if line else b"\n"


def _is_figures(line: str) -> bool:
    """Whether a line is a driver's last word, which is for the gateway."""
    if f'"{FIGURES}"' not in line:
        return False
    if len(line) > _LINE:
        return True
    found = entry(line)
    return found.get("event") == FIGURES and found.get("logger") == "datastream"
