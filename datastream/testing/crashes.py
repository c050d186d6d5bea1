"""Trials of a connector: one without a crash, then one for each call that may crash.

A crash takes away

- ``job``: all processes; the job starts again from its last logged offsets,
- ``worker``: the worker alone; the task runs again in another one,
- ``task``: nothing but the task, by an error: what it used is aborted and closed.
"""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datastream.errors import ProcessLost, cut
from datastream.types import pickles

#: What a crash takes away. Objects beside the driver are lost with the job only.
SCOPES = ("job", "worker", "task")

_SHOWN = 10


class Crash(ProcessLost):
    """The simulated crash."""


class ContractError(AssertionError):
    """What the connector did wrong, found by the trial itself."""


@dataclass
class Calls:
    """Makes the calls of one trial, and crashes at one of them.

    Attributes:
        scope: What the crash takes away.
        at: Number of the call, from 1; 0: none.
        after: Crash after the call, not before it.
        count: Calls so far.
        crashed: What the trial crashed at, for messages.
        current: The call that runs, for messages.
    """

    scope: str = "job"
    at: int = 0
    after: bool = False
    count: int = 0
    crashed: str | None = None
    current: str | None = None
    _of_name: Counter[str] = field(default_factory=Counter)

    def call(self, function: Callable[..., Any], *arguments: Any, name: str | None = None) -> Any:
        """The result of a call.

        Args:
            function: A method of the connector.
            arguments: Its arguments.
            name: What messages call it; default: ``class.method``.
        """
        name = method_name(function) if name is None else name
        self.count += 1
        self._of_name[name] += 1
        here = self.count == self.at and self.crashed is None
        if here and not self.after:
            self._crash(name)
        outer, self.current = self.current, name
        result = function(*arguments)
        self.current = outer
        if here:
            self._crash(name)
        return result

    def clean_up(self, function: Callable[[], Any]) -> None:
        """Make a call that follows the crash, as the engine does after an error."""
        self.current = method_name(function)
        function()
        self.current = None

    def _crash(self, name: str) -> None:
        which = f" (call {self._of_name[name]} of it)" if self._of_name[name] > 1 else ""
        self.crashed = f"with a crash of the {self.scope} {'after' if self.after else 'before'} {name}{which}"
        raise Crash

    @property
    def when(self) -> str:
        """How far the trial is, for messages."""
        return self.crashed or "without any crash"


def method_name(function: Callable[..., Any]) -> str:
    """``class.method`` of a bound method."""
    return f"{type(getattr(function, '__self__', None)).__name__}.{getattr(function, '__name__', 'call')}"


def run_trials(folder: Path, trial: Callable[[Path, Calls], None], at_once: int = 1) -> int:
    """Run a trial without a crash, then one for each call, scope and side of the call; returns how many crashed.

    Args:
        folder: Gets a new folder ``trials-N``, with a folder for each trial.
        trial: Takes an empty folder, and makes the calls of a whole job.
        at_once: In how many threads, at most six.

    Raises:
        AssertionError: of a trial that failed: what is wrong, and where the crash was.
    """
    parent = _new_folder(folder)
    gc.collect()
    gc.freeze()  # so that to collect what a crash leaves behind, as a system does for a killed process, is quick
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # a killed process closes nothing
            _run(parent / "no-crash", trial, Calls())
            with ThreadPoolExecutor(at_once) as threads:
                kinds = [(scope, after) for scope in SCOPES for after in (False, True)]
                return sum(threads.map(lambda kind: _crashes(parent, trial, *kind), kinds))
    finally:
        gc.unfreeze()


def _new_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (new := folder / f"trials-{number}").exists():
        number += 1
    new.mkdir()
    return new


def _crashes(parent: Path, trial: Callable[[Path, Calls], None], scope: str, after: bool) -> int:
    at = 0
    crashed = True
    while crashed:
        at += 1
        calls = Calls(scope, at, after)
        _run(parent / f"{scope}-{'after' if after else 'before'}-{at}", trial, calls)
        crashed = calls.crashed is not None
    return at - 1


def _run(world: Path, trial: Callable[[Path, Calls], None], calls: Calls) -> None:
    world.mkdir()
    try:
        trial(world, calls)
    except Exception as error:
        if isinstance(error, ContractError):
            what = str(error)
        elif calls.current is not None:
            what = f"{calls.current} raised {type(error).__name__}: {error}"
        else:
            what = f"{type(error).__name__}: {error}"
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        raise AssertionError(f"{what}, {calls.when}{notes}\n(the files of this trial are in {world})") from error


@contextmanager
def pickling(what: str, hint: str) -> Iterator[None]:
    """Errors of pickle name the object and say what to do."""
    try:
        yield
    except Exception as error:
        raise ContractError(f"{what} cannot be pickled ({type(error).__name__}: {error}): {hint}") from error


def pickled_settings(connector: Any) -> bytes:
    """A source or sink, as it travels to the processes of a job."""
    hint = "hold settings only, and make connections in readers, writers, enumerators and committers"
    with pickling(type(connector).__name__, hint):
        data = pickles.dumps_by_value(connector, here=True)
        pickles.loads(data)
        return data


def compare(found: list[Any], wanted: Counter[str], may_repeat: Callable[[str], bool]) -> None:
    """Compare records by their repr, in any order.

    Args:
        found: The records that came out.
        wanted: The repr of those that should -> how often.
        may_repeat: Whether a record may be there too often, by its repr.

    Raises:
        ContractError: Records are missing, or there too often.
    """
    got = Counter(map(repr, found))
    lost, extra = wanted - got, got - wanted
    wrong = {text: n for text, n in extra.items() if text not in wanted or not may_repeat(text)}
    parts = [f"lost records: {_listed(lost)}"] if lost else []
    if doubled := {text: n for text, n in wrong.items() if text in wanted}:
        parts.append(f"records that are there too often: {_listed(doubled)}")
    if unknown := {text: n for text, n in wrong.items() if text not in wanted}:
        parts.append(f"records that were not expected: {_listed(unknown)}")
    if parts:
        raise ContractError("; ".join(parts))


def _listed(texts: dict[str, int]) -> str:
    shown = [text if n == 1 else f"{text} ({n} times)" for text, n in list(texts.items())[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else "")


def shown(value: Any) -> str:
    """A value for messages."""
    return f"{type(value).__name__} {cut(value)}"
