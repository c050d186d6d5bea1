"""How an HTTP server is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from datastream.connectors.server_settings import TlsFiles, checked_number, split_url
from datastream.errors import ValidationError, cut

_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EXPECTED = "HttpConnection: the URL must look like 'https://host:port/path'"
#: Characters that would end a header.
_BREAKS = frozenset("\r\n\0")


@dataclass(frozen=True)
class HttpTls(TlsFiles):
    """TLS to the server, whose certificate and name are verified."""


@dataclass(frozen=True, repr=False)
class HttpConnection:
    """A URL, and how its server is reached.

    The query of the URL, headers and password are never shown.

    Attributes:
        url: ``http://`` or ``https://``. A query stays as it is.
        headers: Of each request, such as ``{"Authorization": "Bearer ..."}``.
        user_name: For basic authentication; None: without.
        password: The user's.
        tls: Files for ``https://``; None: the authorities of the machine.
        timeout_ms: How long connecting may take, how long the server may say nothing, and how long an answer may take
            as a whole; a stream of events may last longer.
        max_body_bytes: The most bytes of an answer.

    Raises:
        ValidationError: A value is wrong.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    user_name: str | None = None
    password: str | None = None
    tls: HttpTls | None = None
    timeout_ms: int = 30_000
    max_body_bytes: int = 16 << 20

    def __post_init__(self) -> None:
        parts = split_url(self.url, _PORTS, _EXPECTED)
        if not parts.host or "#" in self.url or not self.url.isprintable() or " " in self.url:
            raise ValidationError(f"{_EXPECTED}; it needs a host, and no spaces or '#'")
        if parts.user_name or parts.password:
            raise ValidationError(
                "HttpConnection: give the user as user_name and password, or use HttpConnection.of_url"
            )
        checked_number(self.timeout_ms, "HttpConnection: timeout_ms", 1)
        checked_number(self.max_body_bytes, "HttpConnection: max_body_bytes", 1)
        for name in ("user_name", "password"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise ValidationError(f"HttpConnection: {name} must be a text, got {type(value).__name__}")
        if self.password is not None and self.user_name is None:
            raise ValidationError("HttpConnection: a password needs a user_name")
        if self.tls is not None and not isinstance(self.tls, HttpTls):
            raise ValidationError(f"HttpConnection: tls must be an HttpTls, got {cut(self.tls)}")
        if self.tls is not None and parts.scheme != "https":
            raise ValidationError(f"{_EXPECTED}: there are files for TLS, and the URL does not begin with 'https://'")
        object.__setattr__(self, "headers", checked_headers(self.headers, "HttpConnection"))

    @classmethod
    def of_url(cls, url: str) -> HttpConnection:
        """The connection of a URL, which may hold user and password: ``https://user:password@host/path``.

        Raises:
            ValidationError: It is no such URL.
        """
        found = split_url(url, _PORTS, _EXPECTED)
        parts = urlsplit(url)
        plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        return cls(plain, user_name=found.user_name, password=found.password)

    def __repr__(self) -> str:
        return f"HttpConnection({self.address!r})"

    def __str__(self) -> str:
        return self.address

    @property
    def address(self) -> str:
        """The URL without its query, for messages."""
        return shown(self.url)

    @property
    def is_loopback(self) -> bool:
        """Whether the URL leads to this machine."""
        return urlsplit(self.url).hostname in _LOOPBACK

    def secrets(self) -> list[str]:
        """Texts that a server may repeat, and nobody shall see."""
        found = [*self.headers.values(), self.password or "", urlsplit(self.url).query]
        found += [value.partition(" ")[2] for value in self.headers.values()]
        return sorted({text for text in found if len(text) > _SHORT}, key=len, reverse=True)

    def validate(self) -> None:
        """Check that the files for TLS can be used.

        Raises:
            ValidationError: They cannot.
        """
        if self.tls is not None:
            self.tls.context(self.address)


#: Words of this length and below are no secrets: `json`, `gzip`.
_SHORT = 4


def shown(url: str) -> str:
    """A URL without its query, for messages."""
    return urlunsplit(urlsplit(url)._replace(query="", fragment=""))


def checked_headers(headers: Any, what: str) -> dict[str, str]:
    """Headers as a dict.

    Raises:
        ValidationError: A name or value is none. No value is in the text.
    """
    if not isinstance(headers, Mapping):
        raise ValidationError(f"{what}: headers must be a dict of texts, got {type(headers).__name__}")
    for name, value in headers.items():
        if not isinstance(name, str) or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValidationError(f"{what}: {cut(name)} is no name of a header")
        if not isinstance(value, str) or _BREAKS & set(value) or not value.isascii():
            raise ValidationError(f"{what}: the header {name!r} needs a text of ASCII on one line")
    return dict(headers)
