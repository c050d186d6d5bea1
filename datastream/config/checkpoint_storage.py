"""Where Flink would keep checkpoints; kept as data, since `--checkpoint-dir` says it here."""

from __future__ import annotations

import re

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.without_effect import class_without_effect

_FOLDER = "a job's checkpoints are in its --checkpoint-dir, or in the folder that execution.checkpointing.dir names"


class CheckpointStorage:
    """Base of the checkpoint storages."""


@class_without_effect(_FOLDER)
class JobManagerCheckpointStorage(CheckpointStorage):
    """Checkpoints in the memory of Flink's job manager.

    Args:
        checkpoint_path: Folder for what describes them, with a scheme such as ``file://``.
        max_state_size: Bytes of a state at most. Default: 5 MiB.
    """

    DEFAULT_MAX_STATE_SIZE = 5 * 1024 * 1024

    def __init__(self, checkpoint_path: str | None = None, max_state_size: int | None = None) -> None:
        self._path = None if checkpoint_path is None else _checked_path(checkpoint_path)
        self._size = self.DEFAULT_MAX_STATE_SIZE if max_state_size is None else max_state_size

    def get_checkpoint_path(self) -> str | None:
        """Return the folder, or None."""
        return self._path

    def get_savepoint_path(self) -> str | None:
        """Return None: no folder for savepoints can be set."""
        return None

    def get_max_state_size(self) -> int:
        """Return how many bytes a state may have."""
        return self._size

    def __str__(self) -> str:
        return f"JobManagerCheckpointStorage (checkpoints to JobManager) ( maxStateSize: {self._size})"


@class_without_effect(_FOLDER)
class FileSystemCheckpointStorage(CheckpointStorage):
    """Checkpoints in a folder.

    Args:
        checkpoint_path: The folder, with a scheme such as ``file://``.
        file_state_size_threshold: Bytes of the smallest file, up to 1 MiB. Default: 20 KiB.
        write_buffer_size: Bytes written at a time. Default: 4 KiB, or the threshold where that is more.

    Raises:
        ValidationError: the folder has no scheme.
    """

    MAX_FILE_STATE_THRESHOLD = 1024 * 1024

    def __init__(
        self,
        checkpoint_path: str | None = None,
        file_state_size_threshold: int | None = None,
        write_buffer_size: int = -1,
    ) -> None:
        self._path = _checked_path(checkpoint_path)
        given = -1 if file_state_size_threshold is None else file_state_size_threshold
        if not -1 <= given <= self.MAX_FILE_STATE_THRESHOLD:
            raise ValidationError(
                f"FileSystemCheckpointStorage: file_state_size_threshold must be from 0 to "
                f"{self.MAX_FILE_STATE_THRESHOLD}, got {given}"
            )
        self._threshold = 20 * 1024 if given < 0 else given
        self._buffer = write_buffer_size if write_buffer_size >= 0 else max(self._threshold, 4096)

    def get_checkpoint_path(self) -> str:
        """Return the folder."""
        return self._path

    def get_savepoint_path(self) -> str | None:
        """Return None: no folder for savepoints can be set."""
        return None

    def get_min_file_size_threshold(self) -> int:
        """Return the bytes of the smallest file."""
        return self._threshold

    def get_write_buffer_size(self) -> int:
        """Return how many bytes are written at a time."""
        return self._buffer


class CustomCheckpointStorage(CheckpointStorage):
    """A checkpoint storage written in Java; refused."""

    def __init__(self, j_custom_checkpoint_storage: object) -> None:
        raise UnsupportedOperation(f"CustomCheckpointStorage: Java classes cannot be used here; {_FOLDER}")


def _checked_path(path: object) -> str:
    """A folder as Flink shows it: ``file:/tmp`` for ``file:///tmp``."""
    found = re.fullmatch(r"([A-Za-z][\w+.-]*):(?://([^/]*))?(/.*)", path) if isinstance(path, str) else None
    if found is None:
        raise ValidationError(
            f"checkpoint_path: expected a folder with a scheme, such as file:///tmp/checkpoints, got {cut(path)}"
        )
    scheme, host, folder = found.groups()
    return f"{scheme}:{'//' + host if host else ''}{re.sub('/+', '/', folder)}"
