"""`PlanReference`: where a compiled plan is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class PlanReference:
    """Where a plan is; `TableEnvironment.load_plan` reads it."""

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
        """A plan as Smile, which cannot be loaded here."""
        return BytesContentPlanReference(smile_bytes)


@dataclass(frozen=True)
class FilePlanReference(PlanReference):
    """A plan in a file."""

    file: Path

    def get_file(self) -> Path:
        """Its whole path."""
        return self.file.resolve()

    def __str__(self) -> str:
        return f"Plan from file '{self.file}'"


@dataclass(frozen=True)
class JsonContentPlanReference(PlanReference):
    """A plan as JSON."""

    content: str

    def get_content(self) -> str:
        """The JSON."""
        return self.content

    def __str__(self) -> str:
        return f"Plan:\n{self.content}"


@dataclass(frozen=True)
class BytesContentPlanReference(PlanReference):
    """A plan as Smile."""

    content: bytes

    def get_content(self) -> bytes:
        """The bytes."""
        return self.content

    def __str__(self) -> str:
        return f"Plan:\n{list(self.content)}"
