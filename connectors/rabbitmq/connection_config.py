"""How a server is reached. Names and defaults are Flink's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from datastream.connectors.server_settings import ServerUrl, TlsFiles, split_url
from datastream.errors import ValidationError, cut

_PORTS = {"amqp": 5672, "amqps": 5671}
#: A short integer of AMQP.
_SHORT = 65_535


@dataclass(frozen=True)
class RMQTls(TlsFiles):
    """TLS to the server. An addition to Flink's names.

    Attributes:
        server_hostname: The name that the server's certificate must have; None: the host.
    """

    server_hostname: str | None = None


@dataclass(frozen=True)
class RMQConnectionConfig:
    """How a server is reached; made by `RMQConnectionConfig.Builder`.

    Attributes:
        host: None where there is a URI.
        port: The same.
        virtual_host: The same.
        user_name: The same.
        password: The same. Never shown.
        uri: As ``amqp://user:password@host:port/virtual-host``, or ``amqps://`` for TLS. Never shown.
        network_recovery_interval: Pause between the sink's tries to connect, in ms; None: pauses that grow.
        automatic_recovery: False: a lost connection fails the epoch at once.
        topology_recovery: Kept; queues are declared with each connection.
        connection_timeout: How long connecting may take, in ms; 0: for ever.
        requested_channel_max: Most channels of a connection; 0: no limit.
        requested_frame_max: Largest frame in bytes; 0: no limit.
        requested_heartbeat: Seconds; 0: none.
        prefetch_count: Messages that the server sends ahead to each subtask of a source; None: chosen by the source.
        tls: None: without TLS, unless the URI says so.
    """

    host: str | None = None
    port: int | None = None
    virtual_host: str | None = None
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    uri: str | None = field(default=None, repr=False)
    network_recovery_interval: int | None = None
    automatic_recovery: bool | None = None
    topology_recovery: bool | None = None
    connection_timeout: int | None = None
    requested_channel_max: int | None = None
    requested_frame_max: int | None = None
    requested_heartbeat: int | None = None
    prefetch_count: int | None = None
    tls: RMQTls | None = None

    @property
    def address(self) -> str:
        """The server as ``host:port``, for messages."""
        if self.uri is None:
            return f"{self.host}:{self.port}"
        parts = _split(self.uri)
        return f"{parts.host or 'localhost'}:{parts.port}"

    @property
    def user(self) -> str:
        """The user, for messages."""
        if self.uri is None:
            return self.user_name or ""
        return _split(self.uri).user_name or "guest"

    def get_host(self) -> str | None:
        """The host; None where a URI was set."""
        return self.host

    def get_port(self) -> int | None:
        """The port; None where a URI was set."""
        return self.port

    def get_virtual_host(self) -> str | None:
        """The virtual host; None where a URI was set."""
        return self.virtual_host

    def get_user_name(self) -> str | None:
        """The user; None where a URI was set."""
        return self.user_name

    def get_password(self) -> str | None:
        """The password; None where a URI was set."""
        return self.password

    def get_uri(self) -> str | None:
        """The URI; None where none was set."""
        return self.uri

    def get_network_recovery_interval(self) -> int | None:
        """The interval in ms; None where none was set."""
        return self.network_recovery_interval

    def is_automatic_recovery(self) -> bool | None:
        """Whether lost connections are made again; None, which means yes, where nothing was set."""
        return self.automatic_recovery

    def is_topology_recovery(self) -> bool | None:
        """What was set; None where nothing was."""
        return self.topology_recovery

    def get_connection_timeout(self) -> int | None:
        """The limit in ms; None where none was set."""
        return self.connection_timeout

    def get_requested_channel_max(self) -> int | None:
        """The most channels; None where nothing was set."""
        return self.requested_channel_max

    def get_requested_frame_max(self) -> int | None:
        """The largest frame in bytes; None where nothing was set."""
        return self.requested_frame_max

    def get_requested_heartbeat(self) -> int | None:
        """The heartbeat in seconds; None where nothing was set."""
        return self.requested_heartbeat

    class Builder:
        """Builds an `RMQConnectionConfig`: from a URI, or from host, port, virtual host, user and password."""

        def __init__(self) -> None:
            self._host: str | None = None
            self._port: int | None = None
            self._virtual_host: str | None = None
            self._user_name: str | None = None
            self._password: str | None = None
            self._uri: str | None = None
            self._network_recovery_interval: int | None = None
            self._automatic_recovery: bool | None = None
            self._topology_recovery: bool | None = None
            self._connection_timeout: int | None = None
            self._channel_max: int | None = None
            self._frame_max: int | None = None
            self._heartbeat: int | None = None
            self._prefetch_count: int | None = None
            self._tls: RMQTls | None = None

        def set_port(self, port: int) -> Self:
            """Set the port."""
            self._port = _count("set_port", port, _SHORT)
            return self

        def set_host(self, host: str) -> Self:
            """Set the host."""
            self._host = _text("set_host", host)
            return self

        def set_virtual_host(self, vhost: str) -> Self:
            """Set the virtual host, such as ``/``."""
            self._virtual_host = _text("set_virtual_host", vhost)
            return self

        def set_user_name(self, user_name: str) -> Self:
            """Set the user."""
            self._user_name = _text("set_user_name", user_name)
            return self

        def set_password(self, password: str) -> Self:
            """Set the password."""
            if not isinstance(password, str):
                raise ValidationError(f"set_password needs a str, got {type(password).__name__}")
            self._password = password
            return self

        def set_uri(self, uri: str) -> Self:
            """Set the URI, instead of host, port, virtual host, user and password."""
            _split(uri)
            self._uri = uri
            return self

        def set_topology_recovery_enabled(self, topology_recovery_enabled: bool) -> Self:
            """Set topology recovery; no effect: queues are declared with each connection."""
            self._topology_recovery = bool(topology_recovery_enabled)
            return self

        def set_requested_heartbeat(self, requested_heartbeat: int) -> Self:
            """Set the heartbeat in seconds; 0: none. Default: the server's."""
            self._heartbeat = _count("set_requested_heartbeat", requested_heartbeat, _SHORT)
            return self

        def set_requested_frame_max(self, requested_frame_max: int) -> Self:
            """Set the largest frame in bytes; 0: no limit. Default: the server's."""
            self._frame_max = _count("set_requested_frame_max", requested_frame_max)
            return self

        def set_requested_channel_max(self, requested_channel_max: int) -> Self:
            """Set the most channels of a connection; 0: no limit. A source or sink uses one."""
            self._channel_max = _count("set_requested_channel_max", requested_channel_max, _SHORT)
            return self

        def set_network_recovery_interval(self, network_recovery_interval: int) -> Self:
            """Set the pause between the sink's tries, in ms. Default: pauses that grow from 100 ms to 5 s."""
            self._network_recovery_interval = _count("set_network_recovery_interval", network_recovery_interval)
            return self

        def set_connection_timeout(self, connection_timeout: int) -> Self:
            """Set how long connecting may take, in ms; 0: for ever. Default: 15 s."""
            self._connection_timeout = _count("set_connection_timeout", connection_timeout)
            return self

        def set_automatic_recovery(self, automatic_recovery: bool) -> Self:
            """Set whether a lost connection is made again. Default: yes. If not, the epoch fails at once."""
            self._automatic_recovery = bool(automatic_recovery)
            return self

        def set_prefetch_count(self, prefetch_count: int) -> Self:
            """Set how many messages the server sends ahead to each subtask of a source.

            An epoch of a subtask holds no more than these. Default: twice a subtask's share of an epoch.
            """
            self._prefetch_count = _count("set_prefetch_count", prefetch_count, _SHORT)
            return self

        def set_tls(self, tls: RMQTls) -> Self:
            """Use TLS. An addition to Flink's names; ``amqps://`` in the URI is the same as ``RMQTls()``."""
            if not isinstance(tls, RMQTls):
                raise ValidationError(f"set_tls needs RMQTls(...), got {cut(tls)}")
            self._tls = tls
            return self

        def build(self) -> RMQConnectionConfig:
            """The settings.

            Raises:
                ValidationError: There is neither a URI nor all of host, port, virtual host, user and password.
            """
            plain = {
                "set_host": self._host,
                "set_port": self._port,
                "set_virtual_host": self._virtual_host,
                "set_user_name": self._user_name,
                "set_password": self._password,
            }
            if self._uri is None and (missing := [name for name, value in plain.items() if value is None]):
                raise ValidationError(
                    f"RMQConnectionConfig.Builder: the server is not fully named: call {', '.join(missing)}; or set_uri"
                )
            host, port, virtual_host, user_name, password = (
                (None,) * 5
                if self._uri is not None
                else (self._host, self._port, self._virtual_host, self._user_name, self._password)
            )
            return RMQConnectionConfig(
                host,
                port,
                virtual_host,
                user_name,
                password,
                self._uri,
                self._network_recovery_interval,
                self._automatic_recovery,
                self._topology_recovery,
                self._connection_timeout,
                self._channel_max,
                self._frame_max,
                self._heartbeat,
                self._prefetch_count,
                self._tls,
            )


def _text(call: str, value: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValidationError(f"{call} needs a str that is not empty, got {cut(value)}")
    return value


def _count(call: str, value: int, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (most is not None and value > most):
        limits = f"from 0 to {most}" if most is not None else "at least 0"
        raise ValidationError(f"{call} needs a whole number {limits}, got {cut(value)}")
    return value


def _split(uri: str) -> ServerUrl:
    return split_url(uri, _PORTS, "set_uri needs amqp://user:password@host:port/virtual-host, or amqps:// for TLS")
