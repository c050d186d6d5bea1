"""Calls the window function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.functions import ProcessAllWindowFunction, ProcessWindowFunction
from datastream.graph.slots import WINDOW_STATES
from datastream.runtime.keyed_state import KeyedStates, apart
from datastream.runtime.keyed_state.cell import Cell
from datastream.runtime.pickled_keys import user_key
from datastream.state import KeyedStateStore
from datastream.windows import Window
from datastream.windows.operation import WindowOperation


class WindowContext(ProcessWindowFunction.Context[Any], ProcessAllWindowFunction.Context[Any]):
    """What a window function can see of the window in hand."""

    __slots__ = ("_states", "_of_window", "in_hand")

    def __init__(self, states: KeyedStates, of_window: KeyedStates | None) -> None:
        self._states = states
        self._of_window = of_window
        self.in_hand: Any = None

    def window(self) -> Any:
        return self.in_hand

    def current_processing_time(self) -> int:
        return self._states.timers.current_processing_time()

    def current_watermark(self) -> int:
        return self._states.timers.watermark

    def window_state(self) -> KeyedStateStore:
        if self._of_window is None:
            raise UnsupportedOperation(
                "window_state() has no meaning for windows that merge, such as sessions: it is not defined which "
                "window's state stays; use global_state()"
            )
        return self._of_window

    def global_state(self) -> KeyedStateStore:
        return self._states


class PartialCell:
    """Keyed states that belong to a part of a key: to a window. They live in a dict that the host keeps."""

    def __init__(self, of_key: KeyedStates) -> None:
        self._key_cell: Cell = of_key.cell
        self.states = KeyedStates(of_key.cell.clock)

    def point(self, content: dict[Any, Any]) -> None:
        """Let the states be those in this dict, of the key in hand."""
        cell, of_key = self.states.cell, self._key_cell
        cell.pages, cell.chunks = of_key.pages, of_key.chunks
        cell.key, cell.content = of_key.key, content


class Calling:
    """Returns what a window emits when it fires, and calls `clear` when it goes.

    Args:
        operation: Whose function is called.
        states: Of the host; the cell points at the key in hand.
        note_failure: Notes the key or record in hand and the function that raised.
    """

    def __init__(
        self, operation: WindowOperation, states: KeyedStates, note_failure: Callable[[Any, str], None]
    ) -> None:
        self._states = states
        self._note_failure = note_failure
        self._keyed = operation.keyed
        self._of_window = None if operation.merging else PartialCell(states)
        self._context = WindowContext(states, None if self._of_window is None else self._of_window.states)
        function = operation.function
        self._apply = getattr(function, "apply", None)
        self._process = None if self._apply is not None else getattr(function, "process", None)
        self._clear = None if self._process is None else getattr(function, "clear", None)
        nothing = (ProcessWindowFunction.clear, ProcessAllWindowFunction.clear)
        if getattr(type(function), "clear", None) in nothing:
            self._clear = None
        self._name = type(function).__qualname__
        self._known_as = getattr(function, "known_as", None)
        #: There is no window function: windows give their elements.
        self.plain = function is None
        #: The window function was called.
        self.called = False
        #: Something has to be done when a window goes.
        self.clears = self._clear is not None

    def results(self, window: Window, at: Any, elements: list[Any], record: Any) -> list[Any]:
        """The results of the window of the key in hand.

        Args:
            window: The window.
            at: Its key among the windows of the key.
            elements: What the function sees.
            record: For the error message.
        """
        if self.plain:
            return elements
        self.called = True
        key = user_key(self._states.cell.key)
        what = "apply" if self._apply is not None else "process"
        try:
            if self._apply is not None:
                given = self._apply(key, window, elements) if self._keyed else self._apply(window, elements)
                return [] if given is None else list(given)
            assert self._process is not None
            self._context.in_hand = window
            states = self._point(at)
            context = self._context
            given = self._process(key, context, elements) if self._keyed else self._process(context, elements)
            out = [] if given is None else list(given)
        except BaseException:
            self._note_failure(record, self._known_as or f"{self._name}.{what}")
            raise
        self._put(at, states)
        return [apart(result) for result in out] if self._keeps_objects() else out

    def _keeps_objects(self) -> bool:
        of_window = self._of_window
        return self._states.keeps_objects or (of_window is not None and of_window.states.keeps_objects)

    def clear(self, window: Window, at: Any) -> None:
        """The window of the key in hand goes."""
        if self._clear is None:
            return
        self._context.in_hand = window
        states = self._point(at)
        try:
            self._clear(self._context)
        except BaseException:
            self._note_failure(self._states.cell.key, f"{self._name}.clear")
            raise
        self._put(at, states)

    def _point(self, at: Any) -> dict[Any, Any]:
        if self._of_window is None:
            return {}
        states: dict[Any, Any] = self._states.cell.content.get(WINDOW_STATES, {}).get(at, {})
        self._of_window.point(states)
        return states

    def _put(self, at: Any, states: dict[Any, Any]) -> None:
        content = self._states.cell.content
        if states:
            content.setdefault(WINDOW_STATES, {})[at] = states
        elif WINDOW_STATES in content:
            content[WINDOW_STATES].pop(at, None)
            if not content[WINDOW_STATES]:
                del content[WINDOW_STATES]
