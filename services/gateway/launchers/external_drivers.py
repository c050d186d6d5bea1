"""Drivers that others start: a file names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datastream.errors import ValidationError

VARIABLE = "DATASTREAM_GATEWAY_EXTERNAL"
_KEYS = ("url", "control-token-file", "savepoint-dir")


@dataclass(frozen=True)
class ExternalDriver:
    """A driver that is started by something else, such as a service manager or Compose.

    Attributes:
        name: Of its job at the gateway.
        url: Of its HTTP endpoints.
        control_token: That it was given as ``control-token``.
        savepoint_dir: Where its savepoints go, as it sees it.
    """

    name: str
    url: str
    control_token: str = field(repr=False)
    savepoint_dir: str


def read_external(file: Path) -> Mapping[str, ExternalDriver]:
    """The drivers that a YAML file names, by name.

    Raises:
        ValidationError: It cannot be read, or does not have the form.
    """
    import yaml

    try:
        found = yaml.safe_load(file.read_text("utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValidationError(f"{VARIABLE}: {file} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ValidationError(f"{VARIABLE}: {file}: expected names of jobs, each with {', '.join(_KEYS)}")
    return {str(name): _driver(file, str(name), about) for name, about in found.items()}


def _driver(file: Path, name: str, about: Any) -> ExternalDriver:
    where = f"{VARIABLE}: {file}: {name}"
    if not isinstance(about, dict) or set(about) != set(_KEYS):
        raise ValidationError(f"{where}: expected the keys {', '.join(_KEYS)}, got {about!r}"[:500])
    url = str(about["url"]).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise ValidationError(f"{where}: url: expected http://HOST:PORT, got {url!r}")
    token = Path(str(about["control-token-file"]))
    try:
        return ExternalDriver(name, url, token.read_text("utf-8").strip(), str(about["savepoint-dir"]))
    except (OSError, UnicodeDecodeError) as error:
        raise ValidationError(f"{where}: control-token-file: {token} cannot be read: {error}") from error
