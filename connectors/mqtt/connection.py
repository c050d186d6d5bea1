"""How a server is reached."""

from __future__ import annotations

from dataclasses import dataclass, field

from datastream.connectors.server_settings import TlsFiles, check_package, checked_number, split_url
from datastream.errors import ValidationError, cut

_PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True)
class MqttTls(TlsFiles):
    """TLS to the server, whose certificate and name are verified."""


@dataclass(frozen=True)
class MqttConnection:
    """How a server is reached.

    Attributes:
        host: Its host.
        port: Its port; servers use 1883 without TLS and 8883 with it.
        user_name: The user; None: without one.
        password: The user's. Never shown.
        tls: None: without TLS.
        timeout_ms: How long connecting, and an answer, may take.
        keep_alive_s: The server ends a connection of which it has heard nothing for one and a half times this.

    Raises:
        ValidationError: A value is wrong.
    """

    host: str = "localhost"
    port: int = 1883
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: MqttTls | None = None
    timeout_ms: int = 10_000
    keep_alive_s: int = 60

    def __post_init__(self) -> None:
        if not isinstance(self.host, str) or not self.host:
            raise ValidationError(f"MqttConnection: host must be the name of a host, got {cut(self.host)}")
        for name, least, most in (("port", 1, 65_535), ("timeout_ms", 1, 2**31 - 1), ("keep_alive_s", 1, 65_535)):
            checked_number(getattr(self, name), f"MqttConnection: {name}", least, most)
        for name in ("user_name", "password"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise ValidationError(f"MqttConnection: {name} must be a text, got {type(value).__name__}")
        if self.password is not None and self.user_name is None:
            raise ValidationError("MqttConnection: a password needs a user_name")
        if self.tls is not None and not isinstance(self.tls, MqttTls):
            raise ValidationError(f"MqttConnection: tls must be an MqttTls, got {cut(self.tls)}")

    @classmethod
    def of_url(
        cls,
        url: str,
        user_name: str | None = None,
        password: str | None = None,
        tls: MqttTls | None = None,
        timeout_ms: int = 10_000,
        keep_alive_s: int = 60,
    ) -> MqttConnection:
        """The connection of a URL.

        Args:
            url: ``mqtt://user:password@host:port``, or ``mqtts://`` for TLS. Only the host is needed.
            user_name: Instead of the URL's.
            password: Instead of the URL's.
            tls: Files for ``mqtts://``.
            timeout_ms: How long connecting, and an answer, may take.
            keep_alive_s: As of `MqttConnection`.

        Raises:
            ValidationError: It is no such URL.
        """
        expected = "MqttConnection: the URL must look like 'mqtt://host:1883', or 'mqtts://host:8883' for TLS"
        parts = split_url(url, _PORTS, expected)
        if not parts.host or parts.path or parts.more:
            raise ValidationError(f"{expected}; other schemes, paths and settings after '?' are not taken")
        if parts.scheme == "mqtts":
            tls = tls or MqttTls()
        elif tls is not None:
            raise ValidationError(f"{expected}: there are files for TLS, and the URL does not begin with 'mqtts://'")
        user_name = parts.user_name if user_name is None else user_name
        password = parts.password if password is None else password
        return cls(parts.host, parts.port, user_name, password, tls, timeout_ms, keep_alive_s)

    def __str__(self) -> str:
        return f"MQTT at {self.address}"

    @property
    def address(self) -> str:
        """Host and port, for messages."""
        return f"{self.host}:{self.port}"

    def validate(self) -> None:
        """Check that the library is there.

        Raises:
            ValidationError: It is not.
        """
        check_package("MQTT", "paho.mqtt.client", "paho-mqtt>=2.1,<3")
