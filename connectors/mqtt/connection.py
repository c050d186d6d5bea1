"""How a server is reached."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from datastream.errors import ValidationError, cut

_PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True)
class MqttTls:
    """TLS to the server, whose certificate and name are verified.

    Attributes:
        ca_file: File of the authorities to trust (PEM); None: those of the machine.
        certificate_file: The client's own certificate (PEM), where the server wants one.
        key_file: Its private key (PEM); None: it is in the file of the certificate.
    """

    ca_file: str | None = None
    certificate_file: str | None = None
    key_file: str | None = None

    def context(self, address: str) -> ssl.SSLContext:
        """What a connection needs.

        Args:
            address: Of the server, for the error.

        Raises:
            ValidationError: A file cannot be used.
        """
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
            if self.certificate_file is not None:
                context.load_cert_chain(self.certificate_file, self.key_file)
        except (OSError, ssl.SSLError) as error:
            raise ValidationError(f"MqttTls for {address}: its files cannot be used: {error}") from error
        return context


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
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except (ValueError, AttributeError, TypeError):
            raise ValidationError(expected) from None  # it may hold a password, so it is not shown
        if parts.scheme not in _PORTS or not host or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValidationError(f"{expected}; other schemes, paths and settings after '?' are not taken")
        if parts.scheme == "mqtts":
            tls = tls or MqttTls()
        elif tls is not None:
            raise ValidationError(f"{expected}: there are files for TLS, and the URL does not begin with 'mqtts://'")
        if user_name is None and parts.username:
            user_name = unquote(parts.username)
        if password is None and parts.password:
            password = unquote(parts.password)
        return cls(host, port or _PORTS[parts.scheme], user_name, password, tls, timeout_ms, keep_alive_s)

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
        try:
            import paho.mqtt.client  # noqa: F401
        except ImportError as error:
            raise ValidationError(
                f"MQTT needs the package paho-mqtt: pip install 'paho-mqtt>=2.1,<3' ({error})"
            ) from error


def checked_connection(connection: Any, what: str) -> MqttConnection:
    """A connection, or that of a URL.

    Args:
        connection: Either.
        what: Who needs it, for errors.

    Raises:
        ValidationError: It is neither.
    """
    if isinstance(connection, MqttConnection):
        return connection
    if isinstance(connection, str):
        return MqttConnection.of_url(connection)
    raise ValidationError(f"{what}: expected an MqttConnection or a URL, got {type(connection).__name__}")


def checked_number(value: Any, what: str, least: int, most: int) -> int:
    """A whole number within bounds.

    Raises:
        ValidationError: It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValidationError(f"{what} must be a whole number from {least} to {most}, got {cut(value)}")
    return value
