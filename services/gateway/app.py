"""The HTTP service: routes, how errors are reported, and the dashboard's files."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi_offline import FastAPIOffline
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from datastream import __version__

from .admission import Admission
from .answers import Refused, database_away, refusal
from .audit import Audit
from .connections import Connections
from .gateway import Gateway
from .limits import BodyLimit, InProgress, JsonBodies, Rate, TooLarge, TooSlow
from .routes import jobs, overview
from .routes.artifacts import artifact_routes
from .routes.sql import VERSIONS, sql_routes
from .security import Guard

#: Bytes of a request that is no upload.
_SMALL = 1 << 20
_DASHBOARD = Path(__file__).parent / "dashboard"
#: Pages load nothing from elsewhere, run no scripts but ours, and stand in no other site's frame.
_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
#: The page of the API's description has scripts and styles of its own inside.
_POLICY_OF_DOCS = "default-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"
_DESCRIPTION = "/openapi.json"
_THREADS = 48

_ABOUT = """
Upload scripts and archives, run them as jobs, and watch and steer the jobs. Paths and names are those of Flink's REST
API and of FLIP-38, where these have them. Each request needs `Authorization: Bearer TOKEN`.
"""


def make_app(gateway: Gateway, connections: Connections | None = None) -> FastAPI:
    """The service of a gateway, which it starts and closes.

    Args:
        gateway: What it serves.
        connections: Those by which requests come; None: the server has limits of its own.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = _THREADS
        gateway.start()
        yield
        await to_thread.run_sync(gateway.close)

    app = FastAPIOffline(
        title="datastream gateway",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url="/docs",
        openapi_url=_DESCRIPTION,
        redoc_url=None,
    )
    _describe_once(app)
    settings = gateway.settings
    app.state.gateway = gateway
    writes = Rate(settings.writes_per_s, max(1, int(settings.writes_per_s * 4)))
    app.state.guard = Guard(gateway.tokens if settings.authenticated else None, writes)
    app.include_router(overview.router)
    app.include_router(artifact_routes("/artifacts", "artifacts", old=False))
    app.include_router(artifact_routes("/jars", "jars: Flink's old name of artifacts", old=True))
    app.include_router(jobs.router)
    for version in (None, *VERSIONS):
        app.include_router(sql_routes(version))
    app.add_middleware(JsonBodies, is_upload=_is_upload)
    app.add_middleware(BodyLimit, small=_SMALL, large=settings.max_upload, is_upload=_is_upload)
    app.add_middleware(InProgress)
    app.add_middleware(Admission, guard=app.state.guard, connections=connections)
    app.add_middleware(Audit)
    app.add_middleware(_Around, answered=gateway.metrics.answered)
    _tell_errors(app)
    if _DASHBOARD.is_dir():
        app.mount("/dashboard", StaticFiles(directory=_DASHBOARD, html=True))

        @app.get("/", include_in_schema=False)
        def home() -> Response:
            return RedirectResponse("/dashboard/")

    return app


def _describe_once(app: FastAPI) -> None:
    """Make the description's text once: it is large, and asked for without a token."""
    made: list[bytes] = []
    making = threading.Lock()
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", "") != _DESCRIPTION]

    @app.get(_DESCRIPTION, include_in_schema=False)
    def description() -> Response:
        with making:
            if not made:
                made.append(json.dumps(app.openapi(), separators=(",", ":")).encode())
        return Response(made[0], media_type="application/json")


def _is_upload(path: str) -> bool:
    return path in ("/artifacts/upload", "/jars/upload")


class _Around:
    """Counts answers, and adds to each the headers that browsers use.

    Args:
        app: What answers.
        answered: Takes the method, the status and the seconds until an answer began.
    """

    def __init__(self, app: ASGIApp, answered: Callable[[str, int, float], None]) -> None:
        self._app, self._answered = app, answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answered(scope["method"], message["status"], time.perf_counter() - began)
                headers = MutableHeaders(scope=message)
                docs = scope["path"].startswith("/docs")
                headers["Content-Security-Policy"] = _POLICY_OF_DOCS if docs else _POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
                if scope["path"].startswith("/dashboard"):
                    headers["Cache-Control"] = "no-cache"
                elif not docs:
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_more)


def _tell_errors(app: FastAPI) -> None:
    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> JSONResponse:
        return refusal(error.status, error.text, error.headers)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        # FastAPI's own, in place of what was raised where it read the body.
        if isinstance(error.__cause__, TooSlow):
            return await too_slow(request, error.__cause__)
        if isinstance(error.__cause__, TooLarge):
            return await too_large(request, error.__cause__)
        return refusal(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def wrong_form(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()]
        return JSONResponse({"errors": problems}, 422)

    @app.exception_handler(TooLarge)
    async def too_large(request: Request, error: TooLarge) -> JSONResponse:
        return refusal(413, str(error), {"Connection": "close"})

    @app.exception_handler(TooSlow)
    async def too_slow(request: Request, error: TooSlow) -> JSONResponse:
        return refusal(408, "the request's body has not come in time", {"Connection": "close"})

    @app.exception_handler(SQLAlchemyError)
    async def database(request: Request, error: SQLAlchemyError) -> JSONResponse:
        away = database_away(error)
        return refusal(away.status, away.text, away.headers)

    @app.exception_handler(Exception)
    async def anything(request: Request, error: Exception) -> JSONResponse:
        return refusal(500, "the gateway has failed at this request; its log says why")
