"""What the settings of connections have in common: URLs of servers, files for TLS, numbers, needed packages."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol, Self, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from datastream.errors import ValidationError, cut


class ServerUrl(NamedTuple):
    """The parts of a URL: without a port that of the scheme, the path without slashes around it."""

    scheme: str
    host: str | None
    port: int
    user_name: str | None
    password: str | None
    path: str
    more: bool
    """Whether anything follows a ``?`` or ``#``."""


def url_parts(url: str, expected: str) -> SplitResult:
    """The parts of a URL whose host and port can be read.

    Args:
        url: The URL, which is not repeated, as it may hold a password.
        expected: What is expected, to begin an error with.

    Raises:
        ValidationError: They cannot.
    """
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        raise ValidationError(f"{expected}; its host or port cannot be read") from None
    return parts


def split_url(url: Any, ports: Mapping[str, int], expected: str) -> ServerUrl:
    """The parts of a URL. Errors name a part alone, as the URL may hold a password.

    Args:
        url: The URL.
        ports: Scheme -> its port.
        expected: What is expected, to begin an error with.

    Raises:
        ValidationError: It is not a URL of these schemes.
    """
    if not isinstance(url, str):
        raise ValidationError(f"{expected}, got {type(url).__name__}")
    parts = url_parts(url, expected)
    if parts.scheme not in ports:
        raise ValidationError(f"{expected}, got {cut(parts.scheme)} before the first colon")
    if "@" not in parts.netloc and "@" in parts.path + parts.query + parts.fragment:  # the rest of a password
        raise ValidationError(
            f"{expected}; in a user or password write '/' as %2F, '?' as %3F, '#' as %23, and elsewhere '@' as %40"
        )
    return ServerUrl(
        parts.scheme,
        parts.hostname,
        parts.port or ports[parts.scheme],
        unquote(parts.username) if parts.username else None,
        unquote(parts.password) if parts.password else None,
        parts.path.strip("/"),
        bool(parts.query or parts.fragment),
    )


@dataclass(frozen=True)
class TlsFiles:
    """TLS to a server, whose certificate and name are verified."""

    ca_file: str | None = None
    """File of the authorities to trust (PEM); None: those of the machine."""
    certificate_file: str | None = None
    """The client's own certificate (PEM), where the server wants one."""
    key_file: str | None = None
    """Its private key (PEM); None: it is in the file of the certificate."""

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
            raise ValidationError(f"{type(self).__name__} for {address}: its files cannot be used: {error}") from error
        return context


def checked_number(value: Any, what: str, least: int, most: int | None = None) -> int:
    """A whole number within bounds.

    Raises:
        ValidationError: It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
        limit = "on" if most is None else f"to {most}"
        raise ValidationError(f"{what} must be a whole number from {least} {limit}, got {cut(value)}")
    return value


class _Connection(Protocol):
    @classmethod
    def of_url(cls, url: str) -> Self: ...


_C = TypeVar("_C", bound=_Connection)


def checked_connection(kind: type[_C], connection: Any, what: str) -> _C:
    """A connection of a kind, or that of a URL.

    Raises:
        ValidationError: It is neither.
    """
    if isinstance(connection, kind):
        return connection
    if isinstance(connection, str):
        return kind.of_url(connection)
    raise ValidationError(f"{what}: expected {kind.__name__}(...) or a URL, got {type(connection).__name__}")


def check_package(product: str, module: str, requirement: str) -> None:
    """See that a package is there.

    Args:
        product: What needs it, for the error.
        module: Its module.
        requirement: As pip takes it, such as ``redis>=5.1``.

    Raises:
        ValidationError: It is not.
    """
    try:
        import_module(module)
    except ImportError as error:
        package = requirement.partition(">=")[0]
        raise ValidationError(
            f"{product} needs the package {package}: pip install '{requirement}' ({error})"
        ) from error
