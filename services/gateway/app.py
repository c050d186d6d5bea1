"""The HTTP service: routes, how errors are told, and the dashboard's files."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi_offline import FastAPIOffline
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from datastream import __version__

from .answers import Refused, refusal
from .audit import Audit
from .gateway import Gateway
from .limits import BodyLimit, JsonBodies, Rate, TooLarge
from .routes import jobs, overview
from .routes.artifacts import artifact_routes
from .security import Guard

_LOGGER = logging.getLogger("datastream")

#: Bytes of a request that is no upload.
_SMALL = 1 << 20
_DASHBOARD = Path(__file__).parent / "dashboard"
#: Pages load nothing from elsewhere, run no scripts but ours, and stand in no other site's frame.
_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
#: The page of the API's description has scripts and styles of its own inside.
_POLICY_OF_DOCS = "default-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"
_THREADS = 64

_ABOUT = """
Upload scripts and archives, run them as jobs, and watch and steer the jobs. Paths and names are those of Flink's REST
API and of FLIP-38, where these have them. Each request needs `Authorization: Bearer TOKEN`.
"""


def make_app(gateway: Gateway) -> FastAPI:
    """The service of a gateway, which it starts and closes."""

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
        redoc_url=None,
    )
    settings = gateway.settings
    app.state.gateway = gateway
    writes = Rate(settings.writes_per_s, max(1, int(settings.writes_per_s * 4)))
    app.state.guard = Guard(gateway.tokens if settings.authenticated else None, writes)
    app.include_router(overview.router)
    app.include_router(artifact_routes("/artifacts", "artifacts", old=False))
    app.include_router(artifact_routes("/jars", "jars: Flink's old name of artifacts", old=True))
    app.include_router(jobs.router)
    app.add_middleware(JsonBodies, is_upload=_is_upload)
    app.add_middleware(BodyLimit, small=_SMALL, large=settings.max_upload, is_upload=_is_upload)
    app.middleware("http")(_around(gateway))
    app.add_middleware(Audit)
    _tell_errors(app)
    if _DASHBOARD.is_dir():
        app.mount("/dashboard", StaticFiles(directory=_DASHBOARD, html=True))

        @app.get("/", include_in_schema=False)
        def home() -> Response:
            return RedirectResponse("/dashboard/")

    return app


def _is_upload(path: str) -> bool:
    return path in ("/artifacts/upload", "/jars/upload")


def _around(gateway: Gateway) -> Callable[[Request, Callable[[Request], Awaitable[Response]]], Awaitable[Response]]:
    async def around(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        response = await answer(request)
        gateway.metrics.answered(request.method, response.status_code, time.perf_counter() - began)
        docs = request.url.path.startswith("/docs")
        headers = response.headers
        headers["Content-Security-Policy"] = _POLICY_OF_DOCS if docs else _POLICY
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        if request.url.path.startswith("/dashboard"):
            headers["Cache-Control"] = "no-cache"
        elif not docs:
            headers.setdefault("Cache-Control", "no-store")
        return response

    return around


def _tell_errors(app: FastAPI) -> None:
    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> JSONResponse:
        return refusal(error.status, error.text, error.headers)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        return refusal(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def wrong_form(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()]
        return JSONResponse({"errors": problems}, 422)

    @app.exception_handler(TooLarge)
    async def too_large(request: Request, error: TooLarge) -> JSONResponse:
        return refusal(413, str(error), {"Connection": "close"})

    @app.exception_handler(SQLAlchemyError)
    async def database(request: Request, error: SQLAlchemyError) -> JSONResponse:
        _LOGGER.error("the database does not answer: %s", type(error).__name__, exc_info=error)
        return refusal(503, "the gateway's database does not answer; try again later", {"Retry-After": "10"})

    @app.exception_handler(Exception)
    async def anything(request: Request, error: Exception) -> JSONResponse:
        return refusal(500, "the gateway has failed at this request; its log says why")
