"""How a port of a NiFi is reached. Names are those of NiFi's client for Java, in Python's spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from datastream.connectors.server_settings import url_parts
from datastream.errors import UnsupportedOperation, ValidationError, cut

_TIMEOUT_MS = 30_000
_BATCH_SIZE = 32 << 20


@dataclass(frozen=True)
class SiteToSiteClientConfig:
    """How a port of a NiFi is reached; made by `SiteToSiteClient.Builder`.

    Attributes:
        urls: Of the NiFi, or of some nodes of a cluster, such as ``http://localhost:8080/nifi``.
        port_name: The port's name; None: it is given by its id.
        port_identifier: The port's id.
        timeout_ms: How long the NiFi may take to connect and to say something, in ms.
        batch_count: Flow files of a transaction of a source at most; None: a subtask's share of an epoch.
        batch_size: Bytes, after which a transaction of a source ends.
        batch_duration_ms: How long a transaction of a source may take flow files, in ms; None: as long as there are
            some.
    """

    urls: tuple[str, ...]
    port_name: str | None = None
    port_identifier: str | None = None
    timeout_ms: int = _TIMEOUT_MS
    batch_count: int | None = None
    batch_size: int = _BATCH_SIZE
    batch_duration_ms: int | None = None

    @property
    def port(self) -> str:
        """The port, for messages."""
        return repr(self.port_name if self.port_name is not None else self.port_identifier)

    def get_url(self) -> str:
        """The first URL."""
        return self.urls[0]

    def get_urls(self) -> list[str]:
        """All URLs."""
        return list(self.urls)

    def get_port_name(self) -> str | None:
        """The port's name; None where the id was set."""
        return self.port_name

    def get_port_identifier(self) -> str | None:
        """The port's id; None where none was set."""
        return self.port_identifier

    def get_timeout(self) -> int:
        """The limit in ms."""
        return self.timeout_ms

    def get_preferred_batch_count(self) -> int | None:
        """The most flow files of a transaction; None where nothing was set."""
        return self.batch_count

    def get_preferred_batch_size(self) -> int:
        """The bytes of a transaction."""
        return self.batch_size

    def get_preferred_batch_duration(self) -> int | None:
        """The duration of a transaction in ms; None where nothing was set."""
        return self.batch_duration_ms


class SiteToSiteClient:
    """Holds the builder, as in Java; clients are made by the source and the sink."""

    class Builder:
        """Builds a `SiteToSiteClientConfig`: from a URL, and a port's name or id."""

        def __init__(self) -> None:
            self._urls: tuple[str, ...] = ()
            self._name: str | None = None
            self._id: str | None = None
            self._timeout_ms = _TIMEOUT_MS
            self._count: int | None = None
            self._size = _BATCH_SIZE
            self._duration_ms: int | None = None

        def url(self, url: str) -> Self:
            """Set the URL, such as ``http://localhost:8080/nifi``."""
            self._urls = (_checked_url(url),)
            return self

        def urls(self, urls: Sequence[str]) -> Self:
            """Set the URLs of some nodes of a cluster."""
            if isinstance(urls, str) or not urls:
                raise ValidationError(f"urls needs a list of URLs, got {cut(urls)}")
            self._urls = tuple(map(_checked_url, urls))
            return self

        def port_name(self, port_name: str) -> Self:
            """Set the name of the port: an output port for a source, an input port for a sink."""
            self._name = _text("port_name", port_name)
            return self

        def port_identifier(self, port_identifier: str) -> Self:
            """Set the id of the port, instead of its name."""
            self._id = _text("port_identifier", port_identifier)
            return self

        def timeout(self, ms: int) -> Self:
            """Set how long the NiFi may take to connect and to say something, in ms."""
            self._timeout_ms = _count("timeout", ms)
            return self

        def request_batch_count(self, count: int) -> Self:
            """Set how many flow files a transaction of a source holds at most."""
            self._count = _count("request_batch_count", count)
            return self

        def request_batch_size(self, size: int) -> Self:
            """Set after how many bytes a transaction of a source ends."""
            self._size = _count("request_batch_size", size)
            return self

        def request_batch_duration(self, ms: int) -> Self:
            """Set how long a transaction of a source may take flow files, in ms."""
            self._duration_ms = _count("request_batch_duration", ms)
            return self

        def transport_protocol(self, transport_protocol: str) -> Self:
            """Only ``"HTTP"``; NiFi's raw sockets are not supported."""
            if str(transport_protocol).upper() != "HTTP":
                raise UnsupportedOperation(
                    f"transport_protocol({cut(transport_protocol)}): only HTTP is supported; NiFi takes it on the port "
                    "of its user interface, unless nifi.remote.input.http.enabled is false"
                )
            return self

        def use_compression(self, compress: bool) -> Self:
            """Only ``False``."""
            if compress:
                raise UnsupportedOperation("use_compression(True): compressed transfer is not supported; leave it out")
            return self

        def build_config(self) -> SiteToSiteClientConfig:
            """The configuration.

            Raises:
                ValidationError: The URL, or the port's name and id, are missing.
            """
            if not self._urls:
                raise ValidationError("SiteToSiteClient.Builder: call url('http://localhost:8080/nifi') first")
            if (self._name is None) == (self._id is None):
                raise ValidationError("SiteToSiteClient.Builder: call either port_name or port_identifier")
            return SiteToSiteClientConfig(
                self._urls, self._name, self._id, self._timeout_ms, self._count, self._size, self._duration_ms
            )


def checked_config(config: Any, what: str) -> SiteToSiteClientConfig:
    """A configuration as it was given.

    Raises:
        ValidationError: It is none.
    """
    if not isinstance(config, SiteToSiteClientConfig):
        raise ValidationError(
            f"{what} needs a SiteToSiteClientConfig; call .build_config() on SiteToSiteClient.Builder(); "
            f"got {cut(config)}"
        )
    return config


def _checked_url(url: Any) -> str:
    text = _text("url", url).rstrip("/")
    expected = "url: expected a URL such as http://localhost:8080/nifi"
    parts = url_parts(text, expected)
    if parts.username or parts.password:
        raise ValidationError("url: a URL with a user is not supported: site-to-site takes none")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValidationError(f"{expected}, got {cut(url)}")
    return text


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValidationError(f"{name} needs a text that is not empty, got {cut(value)}")
    return value


def _count(name: str, value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValidationError(f"{name} needs a whole number of at least 1, got {cut(value)}")
    return value
