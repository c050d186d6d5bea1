"""Where the gateway is, and with which token: by flag, environment or file, in this order."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from .errors import SettingsError

DEFAULT_URL = "http://127.0.0.1:8081"
URL_VARIABLE = "DATASTREAM_GATEWAY_URL"
TOKEN_VARIABLE = "DATASTREAM_GATEWAY_TOKEN"


@dataclass(frozen=True)
class GatewaySettings:
    """Where the gateway is, and with which token.

    Attributes:
        url: The gateway's URL, without a slash at the end.
        token: The token, or None.
        url_from: Where the URL is from.
        token_from: Where the token is from, or why there is none.
        warnings: What is not as it should be.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    url_from: str = ""
    token_from: str = ""
    warnings: tuple[str, ...] = ()


def settings_file(environ: Mapping[str, str] | None = None) -> Path:
    """The file with the gateway's URL and token: ``datastream/gateway.toml`` in the user's folder of settings."""
    environ = os.environ if environ is None else environ
    folder = environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME") or Path.home(), ".config")
    return Path(folder, "datastream", "gateway.toml")


def save_settings(url: str, token: str) -> Path:
    """Write the file, for its user alone to read; where it is."""
    place = settings_file()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = place.with_name(f".{place.name}.new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(f"url = {json.dumps(url)}\ntoken = {json.dumps(token)}\n")
    os.replace(new, place)
    return place


def find_settings(
    url: str | None = None,
    token_file: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> GatewaySettings:
    """Find the gateway's URL and token.

    Each is taken from the argument (a flag of the command), else from DATASTREAM_GATEWAY_URL and
    DATASTREAM_GATEWAY_TOKEN, else from ``~/.config/datastream/gateway.toml``. The file's token is used only for the
    file's URL: no other server gets it.

    Args:
        url: The gateway's URL.
        token_file: A file that holds the token alone.
        environ: The environment. Default: that of the process.

    Raises:
        SettingsError: One of them cannot be read or is malformed; the message names it.
    """
    environ = os.environ if environ is None else environ
    path = settings_file(environ)
    in_file, warnings = _read(path)
    file_url = checked_url(in_file["url"], f"{path}: url") if "url" in in_file else None
    if url is not None:
        found, url_from = checked_url(url, "--gateway"), "--gateway"
    elif environ.get(URL_VARIABLE):
        found, url_from = checked_url(environ[URL_VARIABLE], URL_VARIABLE), URL_VARIABLE
    elif file_url is not None:
        found, url_from = file_url, str(path)
    else:
        found, url_from = DEFAULT_URL, "the default"

    token: str | None = None
    token_from = f"there is none: no --token-file, no {TOKEN_VARIABLE}, none in {path}"
    if token_file is not None:
        token, token_from = checked_token(_content(token_file), f"--token-file {token_file}"), str(token_file)
    elif environ.get(TOKEN_VARIABLE):
        token, token_from = checked_token(environ[TOKEN_VARIABLE], TOKEN_VARIABLE), TOKEN_VARIABLE
    elif "token" in in_file and found != (file_url or DEFAULT_URL):
        token_from = f"the one in {path} is for {file_url or DEFAULT_URL}, and is not sent to {found}"
    elif "token" in in_file:
        token, token_from = checked_token(in_file["token"], f"{path}: token"), str(path)
    return GatewaySettings(found, token, url_from, token_from, warnings)


def _read(path: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    try:
        content = path.read_text("utf-8")
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return {}, ()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
    try:
        values = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None  # its text may hold the token
    for key in ("url", "token"):
        if key in values and not isinstance(values[key], str):
            raise SettingsError(f"{path}: {key}: expected a text in quotes")
    found = {str(key): str(values[key]) for key in ("url", "token") if key in values}
    if "token" in found and mode & (stat.S_IRWXG | stat.S_IRWXO):
        return found, (f"other users may read the token in {path}: chmod 600 {path}",)
    return found, ()


def _content(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise SettingsError(f"--token-file {os.fspath(path)} cannot be read: {reason}") from None


def checked_token(text: str, source: str) -> str:
    """A token that fits into a header.

    Args:
        text: The token.
        source: Where it is from, for the message, which never shows the token.

    Raises:
        SettingsError: It does not fit.
    """
    token = text.strip()
    if not token:
        raise SettingsError(f"{source}: the token is empty")
    if not all("!" <= character <= "~" for character in token):
        raise SettingsError(f"{source}: the token has blanks, line breaks or characters that are not ASCII")
    return token


def checked_url(text: str, source: str) -> str:
    """A URL of a gateway, without a slash at the end.

    Args:
        text: The URL.
        source: Where it is from, for the message.

    Raises:
        SettingsError: It is not one.
    """
    expected = f"expected a URL such as {DEFAULT_URL}"
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise SettingsError(f"{source}: {expected}: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise SettingsError(f"{source}: give no user or password in the URL; the gateway takes tokens")
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise SettingsError(f"{source}: {expected}, got {text!r}")
    if parts.query or parts.fragment:
        raise SettingsError(f"{source}: {expected}, without '?' and '#', got {text!r}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
