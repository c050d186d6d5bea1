"""The gateway itself: how it is, and its own metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from datastream import __version__
from datastream.services.runner.wall_clock import now_ms

from ..job_states import ACTIVE, CANCELED, FAILED, FINISHED
from ..launchers.launcher import EngineAway, Launcher
from ..launchers.sql import SqlLauncher
from ..metrics import CONTENT_TYPE
from ..models import Overview
from ..security import Reader
from .common import REFUSALS, GatewayOf

router = APIRouter(tags=["gateway"])


@router.get("/overview", response_model=Overview, responses=REFUSALS, summary="Show the gateway, and what you may do")
def overview(gateway: GatewayOf, reader: Reader) -> dict[str, Any]:
    counts = gateway.jobs.counts()
    return {
        "version": __version__,
        "time_ms": now_ms(),
        "name": reader.name,
        "scopes": list(reader.scopes),
        "jobs": {
            "running": sum(counts.get(state, 0) for state in ACTIVE),
            "finished": counts.get(FINISHED, 0),
            "canceled": counts.get(CANCELED, 0),
            "failed": counts.get(FAILED, 0),
        },
        "launchers": [
            _launcher(launcher, name == gateway.launcher)
            for name, launcher in gateway.launchers.items()
            if name != SqlLauncher.name  # it has the jobs of sessions alone
        ],
        "limits": {
            "upload_bytes": gateway.settings.max_upload,
            "jobs": gateway.settings.max_jobs,
            "sql_sessions": gateway.settings.sql_sessions,
        },
    }


@router.get("/healthz", summary="Whether the service answers")
def healthz() -> dict[str, str]:
    return {"status": "running"}


@router.get("/readyz", summary="Whether the service can work: its database and its disk take what is written")
def readyz(gateway: GatewayOf) -> Response:
    reason = gateway.why_not_ready()
    if reason is not None:
        return JSONResponse({"status": "nothing can be written", "reason": reason}, 503)
    return JSONResponse({"status": "running"})


@router.get("/metrics", responses=REFUSALS, response_class=Response, summary="The gateway's metrics for Prometheus")
def metrics(gateway: GatewayOf, reader: Reader) -> Response:
    return Response(gateway.metrics.text(), media_type=CONTENT_TYPE)


def _launcher(launcher: Launcher, default: bool) -> dict[str, Any]:
    try:
        reason = launcher.availability()
    except EngineAway as error:
        reason = str(error)
    pool = launcher.pool()
    return {
        "name": launcher.name,
        "default": default,
        "available": reason is None,
        "reason": reason,
        "pool": None if pool is None else {"ready": pool[0], "size": pool[1]},
    }
