"""Pages in Spark's state store, by pipelined requests.

Spark's Python client waits for an answer to every request. Here a window of requests is written before the
first answer is read; the window is bounded in bytes, as both ends would otherwise wait for each other with
full buffers. The client's own socket is used (`StatefulProcessorApiClient`, not a public class).
"""

from __future__ import annotations

import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pyspark.sql.streaming.proto.StateMessage_pb2 as pb

from datastream.errors import WorkerError

_HEADER = struct.Struct("!ii")
_SIZE = struct.Struct("!i")
_WINDOW = 128
_WINDOW_BYTES = 48 * 1024


class SparkStore:
    """A ``MapState[binary, binary]`` of the grouping key in hand, as a `Store`."""

    metered = False

    def __init__(self, client: Any, name: str) -> None:
        self._file = client.sockfile
        self._name = name

    @property
    def copies(self) -> Path | None:
        """In Spark's own folder of blocks on the worker's machine, which goes with the executor."""
        folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
        return Path(folder, "runs") if folder else None

    def get(self, keys: list[bytes]) -> list[bytes | None]:
        found: list[bytes | None] = []
        for start in range(0, len(keys), _WINDOW):
            window = keys[start : start + _WINDOW]
            self._send([pb.MapStateCall(stateName=self._name, getValue=pb.GetValue(userKey=_pack(k))) for k in window])
            for _ in window:
                value = self._answer()
                found.append(pickle.loads(value)[0] if value else None)
        return found

    def put(self, entries: list[tuple[bytes, bytes]]) -> None:
        window: list[Any] = []
        size = 0
        for key, value in entries:
            update = pb.UpdateValue(userKey=_pack(key), value=_pack(value))
            window.append(pb.MapStateCall(stateName=self._name, updateValue=update))
            size += len(value)
            if len(window) >= _WINDOW or size >= _WINDOW_BYTES:
                self._exchange(window)
                window, size = [], 0
        self._exchange(window)

    def delete(self, keys: list[bytes]) -> None:
        for start in range(0, len(keys), _WINDOW):
            self._exchange(
                [
                    pb.MapStateCall(stateName=self._name, removeKey=pb.RemoveKey(userKey=_pack(key)))
                    for key in keys[start : start + _WINDOW]
                ]
            )

    def _exchange(self, window: list[Any]) -> None:
        self._send(window)
        for _ in window:
            self._answer()

    def _send(self, calls: list[Any]) -> None:
        parts: list[bytes] = []
        for call in calls:
            request = pb.StateRequest(stateVariableRequest=pb.StateVariableRequest(mapStateCall=call))
            message = request.SerializeToString()
            parts += (_HEADER.pack(0, len(message)), message)
        self._file.write(b"".join(parts))
        self._file.flush()

    def _answer(self) -> bytes:
        response = pb.StateResponse.FromString(self._file.read(_SIZE.unpack(self._file.read(4))[0]))
        if response.statusCode == 1:  # no such entry
            return b""
        if response.statusCode != 0:
            # Of files, mostly; what it says is its own, with nothing of a record in it.
            raise WorkerError(f"Spark's state store answered: {response.errorMessage}", transient=True)
        value: bytes = response.value
        return value


def _pack(value: bytes) -> bytes:
    return pickle.dumps((value,), 5)
