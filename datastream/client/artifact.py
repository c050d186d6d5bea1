"""Uploaded scripts and archives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .wire import at


def _modules(entries: Any) -> tuple[str, ...]:
    return tuple(str(entry["name"]) for entry in entries if isinstance(entry, Mapping) and entry.get("name"))


@dataclass(frozen=True)
class Artifact:
    """An uploaded script or archive.

    Attributes:
        id: Its id.
        name: Its file's name.
        uploaded_ms: When it was uploaded, in ms since 1970.
        size: Bytes.
        sha256: Checksum of its content.
        type: ``script`` or ``archive``.
        modules: Modules that may be run.
    """

    id: str
    name: str = ""
    uploaded_ms: int | None = at("uploaded")
    size: int | None = None
    sha256: str | None = None
    type: str | None = None
    modules: tuple[str, ...] = at("entry", (), _modules)


@dataclass(frozen=True)
class ArtifactName:
    """The artifact that a job runs.

    Attributes:
        id: Its id.
        name: Its file's name.
    """

    id: str
    name: str = ""
