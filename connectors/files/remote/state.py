"""What the committer of a remote sink remembers: beside the part files, replaced as a whole."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from datastream.connectors.files.staging import damaged

from .store import RemotePiece, Store


@dataclass(frozen=True)
class State:
    """The last epoch that is committed.

    Attributes:
        version: Rises with each replacement.
        owner: Of the job and the sink.
        epoch: Its number; -1: none.
        pieces: Those of the epoch that are perhaps not visible yet; of a job that overwrites, those of all its epochs.
        replaced: Of a job that overwrites: the files that vanish once its own are there, relative to the base path;
            None: its end has not come.
        opened: Of a job with `BucketCommits`: the buckets that are not complete -> when the first of their records was
            committed, in ms since 1970.
        complete: Buckets that are complete, for which perhaps not all has been done.
    """

    version: int = 0
    owner: str = ""
    epoch: int = -1
    pieces: list[RemotePiece] = field(default_factory=list)
    replaced: list[str] | None = None
    opened: dict[str, int] = field(default_factory=dict)
    complete: list[str] = field(default_factory=list)


def load_state(store: Store) -> State:
    """The state, or a new one where there is none.

    Raises:
        CheckpointError: it is damaged.
    """
    found: list[State] = []
    bad: list[tuple[str, str]] = []
    for name, data in store.read_states():
        try:
            found.append(_parse(data))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            bad.append((name, str(error)))
    if found:  # a bad one was being written
        return max(found, key=lambda state: state.version)
    if bad and not (len(bad) == 1 and bad[0][0] == store.first_state):
        raise damaged(*bad[0])
    return State()


def save_state(store: Store, state: State) -> None:
    """Replace the state as a whole."""
    data = asdict(state)
    text = json.dumps({**data, "checksum": _checksum(data)}, separators=(",", ":"))
    store.write_state(state.version, text.encode())


def _parse(data: bytes) -> State:
    content = json.loads(data)
    if content.pop("checksum", None) != _checksum(content):
        raise ValueError("it does not match its checksum")
    pieces = [RemotePiece(**piece) for piece in content["pieces"]]
    # Earlier versions replaced nothing, and completed no buckets.
    return State(
        content["version"],
        content["owner"],
        content["epoch"],
        pieces,
        content.get("replaced"),
        content.get("opened", {}),
        content.get("complete", []),
    )


def _checksum(data: dict[str, Any]) -> str:
    text = json.dumps(data, separators=(",", ":"), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
