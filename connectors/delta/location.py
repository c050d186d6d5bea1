"""Where a table of Delta Lake is, and how it and its files are opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.files.remote.location import is_remote
from datastream.connectors.lakehouse.texts import one_line
from datastream.errors import ValidationError, cut

from .library import deltalake

#: What a store is asked with, unless the options say otherwise: one that is away is found in half a minute.
_PATIENCE = {"max_retries": "5", "retry_timeout": "20s", "connect_timeout": "5s"}


@dataclass(frozen=True)
class DeltaLocation:
    """A table of Delta Lake, which may not be there yet.

    Attributes:
        path: A local folder, or a URI of delta-rs, such as ``s3://bucket/table``.
        storage_options: Options of delta-rs' store, as pairs; they may hold credentials and are never shown.

    Raises:
        ValidationError: The path is none, or an option is no text.
    """

    path: str
    storage_options: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not self.path:
            raise ValidationError(f"a table of Delta Lake needs a path, got {cut(self.path)}")

    @staticmethod
    def of(path: Any, storage_options: Mapping[str, str] | None = None) -> DeltaLocation:
        """The location of a path, whose ``file:`` is taken away and which is made absolute where it is local.

        Raises:
            ValidationError: See the class.
        """
        text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
        if not text:
            raise ValidationError(f"a table of Delta Lake needs a path, got {cut(path)}")
        if not is_remote(text):
            text = os.path.abspath("/" + text[5:].lstrip("/") if text.startswith("file:") else text)
        given = dict(storage_options or {})
        if wrong := [name for name, value in given.items() if not isinstance(name, str) or not isinstance(value, str)]:
            raise ValidationError(
                f"the storage option {cut(wrong[0])} of the table {text} must have a text as its value"
            )
        return DeltaLocation(text.rstrip("/") or "/", tuple(sorted(given.items())))

    @property
    def is_remote(self) -> bool:
        """Whether the table is on a store that is not mounted."""
        return is_remote(self.path)

    @property
    def _options(self) -> dict[str, str]:
        return {**(_PATIENCE if self.is_remote else {}), **dict(self.storage_options)}

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """What the store's failures become: a ConnectionError, of a remote one, after which a restart may help."""
        try:
            yield
        except FileNotFoundError:
            raise
        except (ConnectionError, TimeoutError) as error:
            raise type(error)(f"the table {self.path}: {one_line(error)}") from None
        except OSError as error:
            if self.is_remote:
                raise ConnectionError(f"the table {self.path} cannot be reached: {one_line(error)}") from None
            raise

    def open(self, version: int | None = None) -> Any:
        """The table, or None where there is none.

        Args:
            version: Of the table. Default: the latest.

        Raises:
            ConnectionError: The store does not answer.
            DeltaError: There is no such version.
        """
        library = deltalake()
        if not self.is_remote and not os.path.isdir(self.path):
            return None
        with self.reaching():
            try:
                return library.DeltaTable(self.path, version=version, storage_options=self._options)
            except library.exceptions.TableNotFoundError:
                return None

    def create(self, schema: Any, partition_by: tuple[str, ...], properties: Mapping[str, str]) -> Any:
        """Make the table, unless another process has just made it; and open it."""
        self.make_folder()
        with self.reaching():
            deltalake().DeltaTable.create(
                self.path,
                schema,
                mode="ignore",
                partition_by=list(partition_by),
                configuration=dict(properties),
                storage_options=self._options,
            )
        return self.open()

    def make_folder(self) -> None:
        """Make the folder of a local table."""
        if not self.is_remote:
            os.makedirs(self.path, exist_ok=True)

    def files(self) -> Any:
        """The table's files: what opens and removes them, by paths relative to the table."""
        library = deltalake()
        with self.reaching():
            return library._internal.DeltaFileSystemHandler(self.path, self._options)  # noqa: SLF001 - PyFileSystem's streams of it cannot write

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none.

        Raises:
            ConnectionError: The store does not answer.
        """
        with self.reaching():
            try:
                file = self.files().open_input_file(path)
                return bytes(file.read())
            except FileNotFoundError:
                return None

    def remove(self, paths: list[str]) -> None:
        """Remove files; those that cannot be removed stay until the table is vacuumed."""
        with suppress(Exception):
            files = self.files()
            for path in paths:
                with suppress(Exception):
                    files.delete_file(path)
