"""`PlanReference`: where a plan that is kept lies. Running one is refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class PlanReference:
    """Where a plan lies."""

    @staticmethod
    def from_file(path: str | Path) -> FilePlanReference:
        """A plan in a file."""
        return FilePlanReference(Path(path))

    @staticmethod
    def from_json_string(json_string: str) -> JsonContentPlanReference:
        """A plan as JSON."""
        return JsonContentPlanReference(json_string)

    @staticmethod
    def from_smile_bytes(smile_bytes: bytes) -> BytesContentPlanReference:
        """A plan as Smile."""
        return BytesContentPlanReference(smile_bytes)


@dataclass(frozen=True)
class FilePlanReference(PlanReference):
    """A plan in a file."""

    file: Path

    def get_file(self) -> str:
        """Its path."""
        return str(self.file)


@dataclass(frozen=True)
class JsonContentPlanReference(PlanReference):
    """A plan as JSON."""

    content: str

    def get_content(self) -> str:
        """The JSON."""
        return self.content


@dataclass(frozen=True)
class BytesContentPlanReference(PlanReference):
    """A plan as Smile."""

    content: bytes

    def get_content(self) -> bytes:
        """The bytes."""
        return self.content
