"""The settings of a client, from the properties that Flink's connector takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from datastream.connectors.server_settings import url_parts
from datastream.errors import ValidationError, cut

CONSUMER_KEY = "twitter-source.consumerKey"
CONSUMER_SECRET = "twitter-source.consumerSecret"
TOKEN = "twitter-source.token"
TOKEN_SECRET = "twitter-source.tokenSecret"
BEARER_TOKEN = "twitter-source.bearerToken"
CLIENT_NAME = "twitter-source.name"
CLIENT_HOSTS = "twitter-source.hosts"
CLIENT_BUFFER_SIZE = "twitter-source.bufferSize"

_KNOWN = (BEARER_TOKEN, CONSUMER_KEY, CONSUMER_SECRET, CLIENT_NAME, CLIENT_HOSTS, CLIENT_BUFFER_SIZE)
_HOST = "https://api.x.com"
_BUFFER = 16 << 20
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ClientSettings:
    """How a client reaches X.

    Attributes:
        host: The beginning of URLs, such as ``https://api.x.com``.
        name: The client's name (``User-Agent``).
        buffer_bytes: How much may wait in memory for the next epoch; then the connection is not read.
        bearer_token: Never shown. None: it is asked for with key and secret.
        consumer_key: The app's key. Never shown.
        consumer_secret: The app's secret. Never shown.
    """

    host: str
    name: str
    buffer_bytes: int
    bearer_token: str | None = field(default=None, repr=False)
    consumer_key: str | None = field(default=None, repr=False)
    consumer_secret: str | None = field(default=None, repr=False)


def client_settings(properties: Mapping[str, Any]) -> ClientSettings:
    """The settings that properties stand for.

    Raises:
        ValidationError: One is missing, not known, or not possible. No value of a secret is in the text.
    """
    if not isinstance(properties, Mapping):
        raise ValidationError(f"TwitterSource needs a dict of properties, got {type(properties).__name__}")
    for name in properties:
        if name in (TOKEN, TOKEN_SECRET):
            raise ValidationError(
                f"TwitterSource: {name!r} is of OAuth 1.0a, and the streams of API v1.1 that took it were shut down. "
                f"Leave {TOKEN!r} and {TOKEN_SECRET!r} out: streams of API v2 belong to the app alone, by "
                f"{BEARER_TOKEN!r}, or by {CONSUMER_KEY!r} and {CONSUMER_SECRET!r}"
            )
        if name not in _KNOWN:
            raise ValidationError(f"TwitterSource: unknown property {cut(name)}; known are {', '.join(_KNOWN)}")
    texts = {
        name: _text(name, properties[name]) for name in _KNOWN if name in properties and name != CLIENT_BUFFER_SIZE
    }
    token, key, secret = texts.get(BEARER_TOKEN), texts.get(CONSUMER_KEY), texts.get(CONSUMER_SECRET)
    if token is None and (key is None or secret is None):
        raise ValidationError(
            f"TwitterSource needs the property {BEARER_TOKEN!r}, or both {CONSUMER_KEY!r} and {CONSUMER_SECRET!r}"
        )
    return ClientSettings(
        _host(texts.get(CLIENT_HOSTS, _HOST)),
        texts.get(CLIENT_NAME, "datastream-twitter-source"),
        _size(properties.get(CLIENT_BUFFER_SIZE, _BUFFER)),
        token,
        key,
        secret,
    )


def is_loopback(host: str) -> bool:
    """Whether a URL leads to this machine."""
    return urlsplit(host).hostname in _LOOPBACK


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValidationError(f"TwitterSource: {name!r} must be a str, got {type(value).__name__}")
    if not value.strip() or not value.isprintable() or not value.isascii():
        raise ValidationError(f"TwitterSource: {name!r} must be a text of printable ASCII that is not empty")
    return value.strip()


def _host(given: str) -> str:
    host = (given if "://" in given else f"https://{given}").rstrip("/")
    parts = url_parts(host, f"TwitterSource: {CLIENT_HOSTS!r} must be a host such as {_HOST}")
    if parts.username or parts.password:
        raise ValidationError(f"TwitterSource: {CLIENT_HOSTS!r} must be a host such as {_HOST}, without a user")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or "," in host:
        raise ValidationError(f"TwitterSource: {CLIENT_HOSTS!r} must be one host such as {_HOST}, got {cut(given)}")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValidationError(
            f"TwitterSource: {CLIENT_HOSTS!r} is {cut(given)}: the token would travel in plain text; use https://"
        )
    return host


def _size(given: Any) -> int:
    try:
        size = int(given)
    except (TypeError, ValueError):
        size = 0
    if size < 1:
        raise ValidationError(f"TwitterSource: {CLIENT_BUFFER_SIZE!r} must be a number of bytes, got {cut(given)}")
    return size
