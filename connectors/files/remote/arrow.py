"""File systems that pyarrow knows itself (gs, abfs, hdfs), and all others by fsspec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from datastream.connectors.files.listing import FoundFile
from datastream.connectors.files.parts import changed, gone
from datastream.errors import JobError, ValidationError, cut

from .file_system import FileSystem
from .location import Location

_NATIVE = frozenset(("gs", "gcs", "hdfs", "viewfs", "abfs", "abfss"))


class ArrowFileSystem(FileSystem):
    """The files of one bucket or host, by pyarrow.

    Args:
        location: Anything on it.
    """

    replaced = False

    def __init__(self, location: Location) -> None:
        self.name = location.root
        self._root_uri = location.root + "/"
        root = Location(location.root, location.access)
        self.arrow, self._root = _native(root) if location.scheme in _NATIVE else _by_fsspec(root)

    def stat(self, uri: str) -> FoundFile | None:
        with self.asked("look at", uri):
            return self._file(self.arrow.get_file_info(self.path(uri)))

    def find(self, prefix: str, after: str = "") -> Iterator[FoundFile]:
        from pyarrow.fs import FileSelector

        folder = prefix[: prefix.rfind("/") + 1]
        with self.asked("list", prefix):
            found = self.arrow.get_file_info(
                FileSelector(self.path(folder) or "/", allow_not_found=True, recursive=True)
            )
        files = [file for file in map(self._file, found) if file is not None]
        for file in sorted(files, key=lambda file: file.path):
            if file.path.startswith(prefix) and file.path > after:
                yield file

    def opened(self, uri: str, size: int) -> tuple[Callable[[int, int], bytes], Callable[[], None]]:
        file: list[Any] = []

        def fetch(start: int, stop: int) -> bytes:
            with self.asked("read", uri):
                if not file:
                    try:
                        file.append(self.arrow.open_input_file(self.path(uri)))
                    except FileNotFoundError as error:
                        raise gone(uri) from error
                    now = file[0].size()
                    if now < size:
                        raise changed(uri, size, now)
                file[0].seek(start)
                data: bytes = file[0].read(stop - start)
            return data

        def close() -> None:
            for opened in file:
                opened.close()

        return fetch, close

    def path(self, uri: str) -> str:
        """The path of a URI, as pyarrow takes it."""
        return (self._root + uri[len(self._root_uri) :]).rstrip("/")

    @contextmanager
    def asked(self, what: str, uri: str) -> Iterator[None]:
        """Explain the errors of a call.

        Raises:
            ConnectionError: the system does not answer.
            JobError: it refuses.
        """
        try:
            yield
        except FileNotFoundError:
            raise
        except PermissionError as error:
            raise JobError(
                f"{self.name} refuses to {what} {uri}: permission denied; check the user, and what it may do"
            ) from error
        except (ConnectionError, TimeoutError) as error:
            raise ConnectionError(f"{self.name} does not answer to {what} {uri}: {type(error).__name__}") from error
        except OSError as error:  # so are those of requests, and of pyarrow's C++
            raise ConnectionError(
                f"{self.name} does not answer to {what} {uri}: {type(error).__name__}: {cut(_first_line(error))}"
            ) from error

    def _file(self, info: Any) -> FoundFile | None:
        from pyarrow.fs import FileType

        if info.type != FileType.File:
            return None
        below = info.path.lstrip("/")[len(self._root.lstrip("/")) :].lstrip("/")
        return FoundFile(self._root_uri + below, info.size or 0, info.mtime_ns or 0)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def _native(root: Location) -> tuple[Any, str]:
    from pyarrow.fs import FileSystem as Arrow

    if root.scheme == "gcs":
        return _native(Location("gs" + root.uri[3:], root.access))
    try:
        found, path = Arrow.from_uri(root.full_uri)
    except OSError as error:
        hint = "; for HDFS without libhdfs.so use webhdfs://host:9870/..." if root.scheme == "hdfs" else ""
        raise ConnectionError(f"{root.uri} cannot be reached: {cut(_first_line(error))}{hint}") from error
    except (ValueError, NotImplementedError) as error:
        raise ValidationError(f"{root.uri}: {cut(_first_line(error))}") from error
    return found, path.rstrip("/") + "/"


def _by_fsspec(root: Location) -> tuple[Any, str]:
    try:
        import fsspec
        from fsspec.registry import get_filesystem_class
    except ImportError as error:
        raise ValidationError(
            f"{root.scheme}:// needs the package fsspec: pip install 'spark-datastream[remote]', or pip install fsspec"
        ) from error
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    try:
        get_filesystem_class(root.scheme)
    except ValueError:
        known = "s3, gs, abfs, hdfs, webhdfs, http, https"
        raise ValidationError(
            f"{root.uri}: unknown file system {root.scheme!r}; known are {known} and fsspec's"
        ) from None
    except ImportError as error:
        raise ValidationError(f"{root.scheme}:// needs a package: {cut(str(error))}") from error
    user, _, _ = root.access.partition("@")
    address = Location(root.uri, f"{user}@" if user else "")
    # Else a folder's list is kept for ever, and new files are never seen.
    options = {"use_listings_cache": False, **root.options}
    made, path = fsspec.core.url_to_fs(address.full_uri + "/", **options)
    return PyFileSystem(FSSpecHandler(made)), path.rstrip("/") + "/"
