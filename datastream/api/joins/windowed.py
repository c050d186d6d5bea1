"""The steps of window joins and co-groups: ``where``, ``equal_to``, ``window``, ``apply``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from datastream.api.data_stream import DataStream
from datastream.api.step import node_of
from datastream.api.windowed_stream import WindowedStream
from datastream.functions import KeySelector, WindowFunction
from datastream.time import Time
from datastream.types import TypeInformation
from datastream.windows import Evictor, Trigger, WindowAssigner
from datastream.windows.operation import WindowOperation

from .tagged import TwoStreams

#: Makes of the user's function what is run for a window.
Wrap = Callable[[Any], "PairFunction"]


class PairFunction(WindowFunction[Any, Any, Any, Any]):
    """Calls the user's function with the records of a window, each stream's by themselves.

    Args:
        function: The user's function.
        call: What of it is called.

    Attributes:
        known_as: What people know it as.
    """

    def __init__(self, function: Any, call: Callable[[Any, Any], Any]) -> None:
        self._function = function
        self._call = call
        self.known_as: str = getattr(call, "__qualname__", type(function).__qualname__)

    def open(self, runtime_context: Any) -> None:
        if hasattr(self._function, "open"):
            self._function.open(runtime_context)

    def close(self) -> None:
        if hasattr(self._function, "close"):
            self._function.close()

    def apply(self, key: Any, window: Any, inputs: Iterable[Any]) -> Iterable[Any] | None:
        sides: tuple[list[Any], list[Any]] = ([], [])
        for side, record in inputs:
            sides[side].append(record)
        return self.pair(*sides)

    def pair(self, first: list[Any], second: list[Any]) -> Iterable[Any] | None:
        """The results for the records of a window."""
        raise NotImplementedError


S = TypeVar("S", bound="Windowed")


class Windowed:
    """Two streams, their keys and their windows: what is left to say is the function.

    Assigner, trigger and evictor see the records of both streams as (0, record) and (1, record).
    """

    def __init__(self, streams: TwoStreams, assigner: WindowAssigner[Any, Any], wrap: Wrap, name: str) -> None:
        self._streams = streams
        WindowOperation(assigner)  # refuses what is none where it is written
        self._assigner = assigner
        self._settings: dict[str, Any] = {}
        self._wrap = wrap
        self._name = name

    def trigger(self: S, trigger: Trigger[Any, Any]) -> S:
        """Say when a window fires; default: the assigner's own trigger."""
        return self._with(trigger=trigger)

    def evictor(self: S, evictor: Evictor[Any, Any]) -> S:
        """Say which records leave a window before, or after, its function runs; default: none."""
        return self._with(evictor=evictor)

    def allowed_lateness(self: S, new_lateness: Time | int) -> S:
        """Say for how long after its end a window takes late records, and fires again; default: 0.

        Args:
            new_lateness: A Time, or a number of ms.
        """
        millis = new_lateness.to_milliseconds() if isinstance(new_lateness, Time) else new_lateness
        return self._with(allowed_lateness=millis)

    def apply(self, function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """Run a function for each window of each key, when it fires; late records are dropped.

        Args:
            function: The function; see `JoinedStreams` and `CoGroupedStreams`.
            output_type: Declared type of the results.
        """
        wrapped = self._wrap(function)
        windows = WindowedStream(self._streams.keyed(), self._assigner)
        for setting, value in self._settings.items():
            getattr(windows, setting)(value)
        joined = windows.apply(wrapped, output_type).name(self._name)
        node_of(joined).change(tested_first=True)
        return joined

    def _with(self: S, **settings: Any) -> S:
        changed = self._settings | settings
        WindowOperation(self._assigner, **changed)  # refuses what does not fit together where it is written
        self._settings = changed
        return self


class Keyed:
    """Two streams and their keys; `window` says which records meet."""

    def __init__(self, streams: TwoStreams, wrap: Wrap, name: str) -> None:
        self._streams, self._wrap, self._name = streams, wrap, name

    def window(self, assigner: WindowAssigner[Any, Any]) -> Windowed:
        """Bring records of a key together that are in one window."""
        return Windowed(self._streams, assigner, self._wrap, self._name)


class HalfKeyed:
    """Two streams and the first one's key; `equal_to` says the other's."""

    def __init__(self, streams: TwoStreams, wrap: Wrap, name: str) -> None:
        self._streams, self._wrap, self._name = streams, wrap, name

    def equal_to(
        self, key_selector: Callable[[Any], Any] | KeySelector, key_type: TypeInformation | None = None
    ) -> Keyed:
        """Say what the key of the second stream's records is.

        Args:
            key_selector: record -> key.
            key_type: Declared type of the key.
        """
        self._streams.by("equal_to", key_selector, key_type)
        return Keyed(self._streams, self._wrap, self._name)


class Pairing:
    """Two streams; `where` says the first one's key.

    Args:
        first: The first stream.
        second: The second stream.
    """

    what = ""

    def __init__(self, first: DataStream, second: DataStream) -> None:
        self._first, self._second = first, second
        TwoStreams(first, second, self.what)

    def where(
        self, key_selector: Callable[[Any], Any] | KeySelector, key_type: TypeInformation | None = None
    ) -> HalfKeyed:
        """Say what the key of the first stream's records is.

        Args:
            key_selector: record -> key.
            key_type: Declared type of the key.
        """
        streams = TwoStreams(self._first, self._second, self.what)
        streams.by("where", key_selector, key_type)
        return HalfKeyed(streams, self._wrap, f"Window {self.what}")

    @staticmethod
    def _wrap(function: Any) -> PairFunction:
        raise NotImplementedError
