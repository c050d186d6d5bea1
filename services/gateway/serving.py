"""Runs the HTTP service until a signal ends it."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import sys
from pathlib import Path
from types import FrameType

import click
import structlog
import uvicorn

from datastream.client.settings import save_settings, settings_file
from datastream.environments.secret_values import hide
from datastream.errors import ValidationError
from datastream.logs import job_log

from .accepting import BACKLOG, Acceptor, raise_file_limit
from .app import make_app
from .connections import ConnectionLimits, Connections, Held
from .data_lock import note_address
from .gateway import Gateway
from .log_limit import LogLimit
from .protocol import LimitedProtocol
from .security import is_loopback
from .settings import GatewaySettings
from .tokens import WRITE

#: Who follows a log is let go before that.
_GRACE_S = 5
_PORT_TAKEN = 3


class _LogText(logging.Formatter):
    """Lines of the log, with tracebacks, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return hide(super().format(record))


class _Server(uvicorn.Server):
    """Notifies the gateway of its end before connections are waited for, and accepts them by rules of its own."""

    def __init__(
        self, config: uvicorn.Config, gateway: Gateway, connections: Connections, listener: socket.socket
    ) -> None:
        super().__init__(config)
        self._gateway, self._connections, self._listener = gateway, connections, listener
        self._acceptor: Acceptor | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])
        self._acceptor = Acceptor(self._listener, self._connections, self._protocol, self.config.ssl)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._acceptor is not None:
            self._acceptor.close()
        await super().shutdown(sockets=[])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._gateway.closing = True
        super().handle_exit(sig, frame)

    def _protocol(self, held: Held) -> LimitedProtocol:
        return LimitedProtocol(self.config, self.server_state, self.lifespan.state, self._connections, held)


def serve(settings: GatewaySettings, log_format: str, certificate: str | None, key: str | None) -> int:
    """Run the service; the exit code.

    Raises:
        ValidationError: The settings do not go together.
    """
    if not settings.authenticated and not is_loopback(settings.host):
        raise ValidationError(
            f"--without-auth lets everybody do everything, so it is for loopback only, not for {settings.host}"
        )
    if (certificate is None) != (key is None):
        raise ValidationError("--tls-certificate and --tls-key go together")
    exposed = key is not None and _is_read_by_others(Path(key))
    _set_up_log(log_format)
    if exposed:
        logging.getLogger("datastream").warning("every user of this machine may read the key %s; chmod 600 it", key)
    if key is None and not is_loopback(settings.host):
        logging.getLogger("datastream").warning(
            "no TLS on %s: others on the network can read tokens, unless a proxy in front of it serves HTTPS; see "
            "--tls-certificate",
            settings.host,
        )
    try:
        listener = _listen(settings.host, settings.port)
    except OSError as error:
        where = f"{settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            click.echo(f"error: the port {where} is taken by another process; choose another --port", err=True)
            return _PORT_TAKEN
        raise ValidationError(f"cannot listen on {where}: {error.strerror or error}") from error
    gateway = Gateway(settings)
    scheme, port = "https" if certificate else "http", listener.getsockname()[1]
    note_address(gateway.lock, scheme, settings.host, port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    _greet(gateway, f"{scheme}://{host}:{port}")
    limits = ConnectionLimits(raise_file_limit(settings.max_connections), settings.max_connections_per_address)
    connections = Connections(limits)
    gateway.metrics.watch(connections)
    config = uvicorn.Config(
        make_app(gateway, connections),
        http=LimitedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[("Strict-Transport-Security", "max-age=31536000")] if certificate else [],
        proxy_headers=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=int(limits.idle_s),
        h11_max_incomplete_event_size=64 << 10,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn sends the signal that ended it once more, when all has been tidied up.
        signal.signal(number, lambda *_: None)
    _Server(config, gateway, connections, listener).run()
    return 0


def _is_read_by_others(key: Path) -> bool:
    """Whether others of this machine can read a key.

    Raises:
        ValidationError: Others can write it: it is not known whose key it is then.
    """
    try:
        mode = key.stat().st_mode
    except OSError as error:
        raise ValidationError(f"--tls-key: {key} cannot be read: {error.strerror}") from error
    if mode & 0o022:
        raise ValidationError(f"--tls-key: others may write {key}; chmod 600 {key}")
    return bool(mode & 0o004)


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(place)
    listener.listen(BACKLOG)
    listener.set_inheritable(False)  # or drivers would keep the port
    return listener


def _greet(gateway: Gateway, url: str) -> None:
    """Say where the gateway is, and how to get in."""
    log = logging.getLogger("datastream")
    log.info("the gateway listens on %s, its data are in %s; dashboard: %s/dashboard/", url, gateway.data, url)
    if not gateway.settings.authenticated:
        log.warning("no token is needed: every process of this machine may run code as this user")
    elif not gateway.tokens.list():
        if sys.stdout.isatty():
            token = gateway.tokens.make("first", (WRITE,))
            click.echo(f"The first token, which is shown this once: {token}\nDashboard: {url}/dashboard/#token={token}")
            if not settings_file().exists():
                click.echo(f"The datastream command of this user has it from {save_settings(url, token)}")
        else:
            log.warning("there is no token yet; make one: datastream-gateway token create --name me --scope write")


def _set_up_log(log_format: str) -> None:
    if log_format == "json":
        job_log.as_json(logging.INFO)
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_LogText("%(asctime)s %(levelname)s %(message)s"))
        logging.basicConfig(level=logging.INFO, handlers=[handler])
        structlog.configure(
            processors=[structlog.processors.LogfmtRenderer(key_order=["event"])],
            logger_factory=structlog.stdlib.LoggerFactory(),
        )
    for each in logging.getLogger().handlers:
        each.addFilter(LogLimit())
    for name in ("httpx", "httpcore", "uvicorn", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.WARNING)
