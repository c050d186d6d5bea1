"""What a remote file system must offer to a source, and which one a URI means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from datastream.connectors.files.listing import FoundFile


class FileSystem(ABC):
    """Reads the files of one bucket or host.

    All calls raise ConnectionError when it does not answer, and `JobError` when it refuses.

    Attributes:
        listable: Whether it can say which files there are.
        replaced: Whether a file changes only as a whole, so that another size means another file.
    """

    listable: bool = True
    replaced: bool = True

    @abstractmethod
    def stat(self, uri: str) -> FoundFile | None:
        """The file of a URI; None: there is none, or it is a folder."""

    @abstractmethod
    def find(self, prefix: str, after: str = "") -> Iterator[FoundFile]:
        """All files whose URIs begin with a prefix, in an order of their names that is always the same.

        Args:
            prefix: What the URIs begin with.
            after: Only those after this URI; empty: all.
        """

    @abstractmethod
    def opened(self, uri: str, size: int) -> tuple[Callable[[int, int], bytes], Callable[[], None] | None]:
        """What reads a file's bytes from one offset to another, and what closes it.

        Args:
            uri: The file.
            size: What it was listed with. A file that has changed since, or is gone, raises a `JobError`.
        """
