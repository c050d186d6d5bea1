"""Files of a folder on any file system that Spark's Java knows: HDFS, object stores and others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from datastream.spark.java_objects import java_classes, java_context

from ..process.session import session


class HadoopDirectory:
    """A folder, reached through the process's Spark session, also when that has a new Java.

    Args:
        path: Such as ``hdfs://host/checkpoints/job``.
    """

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/")

    def names(self, folder: str = "") -> list[str]:
        """The names in the folder, or in one inside it; none where it is not there."""
        with self._system(folder) as (system, path):
            if not system.exists(path):
                return []
            return [status.getPath().getName() for status in system.listStatus(path)]

    def exists(self, name: str) -> bool:
        with self._system(name) as (system, path):
            return bool(system.exists(path))

    def read(self, name: str) -> bytes | None:
        with self._system(name) as (system, path):
            if not system.exists(path):
                return None
            stream = system.open(path)
            try:
                return bytes(_java().org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

    def create(self, name: str, content: bytes) -> bool:
        try:
            self._write(name, content, overwrite=False)
        except OSError:
            if self.exists(name):
                return False
            raise
        return True

    def replace(self, name: str, content: bytes) -> None:
        self._write(name, content, overwrite=True)

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that is in it."""
        with self._system(name) as (system, path):
            system.delete(path, True)

    def _write(self, name: str, content: bytes, overwrite: bool) -> None:
        with self._system(name) as (system, path):
            stream = system.create(path, overwrite)
            try:
                stream.write(bytearray(content))
            finally:
                stream.close()

    @contextmanager
    def _system(self, name: str) -> Iterator[tuple[Any, Any]]:
        """The file system and a path on it. What Java raises becomes an OSError."""
        try:
            path = _java().org.apache.hadoop.fs.Path(f"{self.path}/{name}".rstrip("/"))
            yield path.getFileSystem(java_context(_spark()).hadoopConfiguration()), path
        except Py4JJavaError as error:
            raise OSError(f"{self.path}/{name}: {error.java_exception.toString()}") from error
        except Py4JError as error:
            raise OSError(f"{self.path}/{name}: Java does not answer") from error


def _spark() -> SparkSession:
    found = session.current()
    if found is None:
        raise OSError("Java has gone")
    return found


def _java() -> Any:
    return java_classes(_spark())
