"""One server for all processes of a test run."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers.choice import Kind, ServerT, begin, taken


@contextmanager
def shared(kind: Kind[ServerT], folder: Path) -> Iterator[ServerT]:
    """A server of a kind: the one that another process of the run has begun, or a new one for all of them.

    The process that began it waits at the end until no other uses it, and stops it.

    Args:
        kind: The kind.
        folder: Of the run.

    Raises:
        UnavailableError: No way to get one works.
    """
    address = folder / f"{kind.name}.server"
    with (folder / f"{kind.name}.users").open("w") as users:
        begun = None
        with _locked(folder / f"{kind.name}.lock"):
            if address.exists():
                taken[kind.name], server = pickle.loads(address.read_bytes())
            else:
                server = begun = begin(kind)
                address.write_bytes(pickle.dumps((taken[kind.name], begun.client())))
            fcntl.flock(users, fcntl.LOCK_SH)  # ends with the process, however that ends
        try:
            yield server
        finally:
            if begun is not None:
                with _locked(folder / f"{kind.name}.lock"):
                    address.unlink()
                fcntl.flock(users, fcntl.LOCK_EX)
                begun.stop()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
