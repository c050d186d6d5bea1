"""How part files are named."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError


@dataclass(frozen=True)
class OutputFileConfig:
    """Part files are named ``<prefix>-<job>-<subtask>-<number><suffix>``; the job's part is 16 digits.

    Attributes:
        part_prefix: Default: ``part``.
        part_suffix: Default: empty.
    """

    part_prefix: str = "part"
    part_suffix: str = ""

    def __post_init__(self) -> None:
        for text in (self.part_prefix, self.part_suffix):
            if "/" in text or "\0" in text:
                raise ValidationError(f"OutputFileConfig: {text!r} cannot be part of a file's name")

    def get_part_prefix(self) -> str:
        """What names start with."""
        return self.part_prefix

    def get_part_suffix(self) -> str:
        """What names end with."""
        return self.part_suffix

    @staticmethod
    def builder() -> OutputFileConfig.OutputFileConfigBuilder:
        """PyFlink's builder."""
        return OutputFileConfig.OutputFileConfigBuilder()

    class OutputFileConfigBuilder:
        """Builds an `OutputFileConfig`."""

        def __init__(self) -> None:
            self._prefix = "part"
            self._suffix = ""

        def with_part_prefix(self, prefix: str) -> OutputFileConfig.OutputFileConfigBuilder:
            """Set what names start with."""
            self._prefix = prefix
            return self

        def with_part_suffix(self, suffix: str) -> OutputFileConfig.OutputFileConfigBuilder:
            """Set what names end with, such as ``.csv``."""
            self._suffix = suffix
            return self

        def build(self) -> OutputFileConfig:
            """The config."""
            return OutputFileConfig(self._prefix, self._suffix)
