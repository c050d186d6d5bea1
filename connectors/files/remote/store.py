"""What a remote file system must offer to a sink, and which one a URI means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO


@dataclass(frozen=True)
class RemotePiece:
    """What one attempt at a task wrote into one bucket: a part file that is not visible yet.

    Attributes:
        target: The part file, relative to the base path.
        handle: What the store finds it by; plain values.
        size: Bytes.
        records: How many records.
    """

    target: str
    handle: dict[str, Any]
    size: int
    records: int


@dataclass(frozen=True)
class Name:
    """What a piece is called before it is visible.

    Attributes:
        owner: Of the job and the sink.
        epoch: Of its records.
        attempt: Differs for all attempts of all time.
    """

    owner: str
    epoch: int
    attempt: str


class Upload(ABC):
    """A piece that is being written.

    Attributes:
        stream: Takes its bytes.
        batches: How many requests have sent them.
        retries: How many of these were sent again.
    """

    stream: BinaryIO
    batches: int = 0
    retries: int = 0

    @abstractmethod
    def finish(self) -> dict[str, Any]:
        """Bring all of it to the store; its handle."""

    @abstractmethod
    def abort(self) -> None:
        """Give it up."""


class Store(ABC):
    """Writes below a base path.

    All calls raise ConnectionError when it does not answer, and `JobError` when it refuses.

    Attributes:
        first_state: Where `write_state` puts version 1, if a crash may leave it half written; else empty.
    """

    first_state: str = ""

    @abstractmethod
    def check(self) -> None:
        """See that the bucket or host is there and can be written to."""

    @abstractmethod
    def begin(self, target: str, name: Name) -> Upload:
        """Begin a piece.

        Args:
            target: The part file, relative to the base path.
            name: What it is called until it is visible.
        """

    @abstractmethod
    def publish(self, piece: RemotePiece) -> bool:
        """Make a piece visible under its target's name; again is the same. False: it is lost."""

    @abstractmethod
    def write_empty(self, target: str) -> None:
        """Write an empty file that is visible at once, by its path relative to the base path; again is the same."""

    @abstractmethod
    def discard(self, piece: RemotePiece) -> None:
        """Remove a piece, unless it is visible or removed."""

    @abstractmethod
    def remove(self, target: str) -> None:
        """Remove a file, by its path relative to the base path, unless it is gone."""

    @abstractmethod
    def clean(self, stale: Callable[[str, int, float], bool]) -> None:
        """Remove the pieces that will not be published.

        Args:
            stale: By a piece's owner, its epoch and its age in s, whether it is one.
        """

    @abstractmethod
    def read_states(self) -> Iterator[tuple[str, bytes]]:
        """Name and content of what `write_state` has written last, and perhaps of what it had written before.

        Where it has not yet written anything, what an earlier version has written for all jobs of the sink.
        """

    @abstractmethod
    def write_state(self, version: int, data: bytes) -> None:
        """Replace the state; one that was written before stands if this fails."""
