"""Calls of an async function, many at a time, in an event loop that runs only while it is waited for."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.functions import AsyncFunctionDescriptor
from datastream.functions.async_function import CachingAsyncFunction
from datastream.runtime.user_errors import name_of

_UNWIND_S = 1.0  # how long calls that are of no use any more may take to clean up


class Call:
    """One record on its way.

    Attributes:
        record: The record.
        time: Its timestamp, which its results get.
        results: Once it is done.
        deadline: In seconds of the loop's running time.
        task: The worker that has the record in hand.
        done: It has its results, or they do not matter any more.
    """

    __slots__ = ("record", "time", "results", "deadline", "task", "done")

    task: asyncio.Task[None]
    deadline: float

    def __init__(self, record: Any, time: int | None) -> None:
        self.record, self.time = record, time
        self.results: Any = None
        self.done = False


class AsyncCalls:
    """The calls of one operator.

    The loop runs in the task's own thread, so user code never runs in two, and no thread has to live through a fork.
    Calls may stay open from one `run` to the next. While the loop does not advance no call's timeout goes on: answers
    could not be taken then.

    Records are worked on by up to `capacity` tasks of the loop, each of which takes one after the other: a task a
    record would cost as much again.

    Args:
        setting: The function, and how it runs.

    Attributes:
        results: Those that have not been taken yet, in the order in which they are to be taken.
        times: The timestamp of each.
        open: How many records there are without results.
        failed: The call that failed and the name of the method that did, when `run` raised an error.
    """

    def __init__(self, setting: AsyncFunctionDescriptor) -> None:
        self._function = setting.async_function
        self._name = name_of(setting.async_function)
        self._timeout = setting.timeout.to_milliseconds() / 1000
        self._capacity = setting.capacity
        self._ordered = setting.output_mode is AsyncFunctionDescriptor.OutputMode.ORDERED
        self._strategy = setting.async_retry_strategy
        predicate = self._strategy.get_retry_predicate()
        self._on_result, self._on_exception = predicate.result_predicate(), predicate.exception_predicate()
        retries = self._on_result is not None or self._on_exception is not None
        self._answer = self._tries if retries else self._function.async_invoke
        self._cached: Callable[[Any], list[Any] | None] | None = None
        if isinstance(self._function, CachingAsyncFunction) and not retries:
            self._cached = self._function.cached
        self._loop: asyncio.AbstractEventLoop | None = None
        self._away = self._stopped = 0.0  # how long the loop stood still; since when it does
        self._tasks: set[asyncio.Task[None]] = set()
        self._reset()

    def _reset(self) -> None:
        self.results: list[Any] = []
        self.times: list[int | None] = []
        self.open = 0
        self.failed: tuple[Call, str] | None = None
        self._error: BaseException | None = None
        self._waiting: deque[Call] = deque()
        self._order: deque[Call] = deque()  # ordered mode: what is not ready yet
        self._deadlines: deque[Call] = deque()  # in their order, as all have the same timeout
        self._alarm: asyncio.TimerHandle | None = None
        self._workers = self._left = 0
        self._goal: asyncio.Future[None] | None = None

    def add(self, records: list[Any], times: Iterable[int | None]) -> None:
        """Take on records: what the function has at hand is done, the others start when the loop runs.

        Args:
            records: The records.
            times: The timestamp of each.
        """
        cached, ordered = self._cached, self._ordered
        for record, time in zip(records, times):  # noqa: B905 - a block's halves have one length
            results = None if cached is None else self._result_at_hand(record)
            if results is not None and not (ordered and self._order):
                self._give(results, time)
                continue
            call = Call(record, time)
            self.open += 1
            if ordered:
                self._order.append(call)
            if results is None:
                self._waiting.append(call)
            else:
                call.results, call.done = results, True

    def take(self) -> tuple[list[Any], list[int | None]]:
        """The results that are ready, and their timestamps."""
        ready = self.results, self.times
        self.results, self.times = [], []
        return ready

    def _give(self, results: list[Any], time: int | None) -> None:
        self.results += results
        self.times += [time] * len(results)

    def _result_at_hand(self, record: Any) -> list[Any] | None:
        assert self._cached is not None
        try:
            results = self._cached(record)
            return results if results is None or type(results) is list else self._listed(results)
        except Exception:  # async_invoke meets it again: that is what has failed then
            return None

    def run(self, left: int) -> None:
        """Run the loop until this number of calls are open at most. When one fails, all are forgotten.

        Raises:
            BaseException: What the user's function raised.
        """
        if not self.open:
            return
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.new_event_loop()
            weakref.finalize(self, _close, loop)
            self._stopped = loop.time()
        self._away += loop.time() - self._stopped
        try:
            loop.run_until_complete(self._until(left))
        finally:
            self._stopped = loop.time()
        if self._error is not None:
            error, failed = self._error, self.failed
            self.abandon()
            self.failed = failed
            raise error

    def abandon(self) -> None:
        """Forget all calls, and end those that have begun."""
        for call in self._deadlines:
            call.done = True
        if self._alarm is not None:
            self._alarm.cancel()
        self._reset()
        tasks = list(self._tasks)  # the set loses those that end
        for task in tasks:
            task.cancel()
        if tasks and self._loop is not None:
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=_UNWIND_S))

    async def _until(self, left: int) -> None:
        await _look_around()  # connections that were closed meanwhile must not be used again
        for _ in range(min(self._capacity - self._workers, len(self._waiting))):
            self._start_worker()
        self._left = left
        if self.open > left and self._error is None:
            self._goal = asyncio.get_running_loop().create_future()
            await self._goal
            self._goal = None
        await _look_around()  # send off what was started

    # -- one record --------------------------------------------------------------------------------------

    def _start_worker(self) -> None:
        assert self._loop is not None
        task = self._loop.create_task(self._work())
        self._tasks.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(self._tasks.discard)
        self._workers += 1

    async def _work(self) -> None:
        """Take records while there are any."""
        task, time = asyncio.current_task(), asyncio.get_running_loop().time
        assert task is not None
        waiting, answer = self._waiting, self._answer
        while waiting:
            call = waiting.popleft()
            call.task = task
            call.deadline = time() - self._away + self._timeout
            self._deadlines.append(call)
            if self._alarm is None:
                self._set_alarm()
            try:
                results = await answer(call.record)
                if type(results) is not list:
                    results = self._listed(results)
            except BaseException as error:
                if not call.done:
                    self._fail(call, error, "async_invoke")
                return
            if call.done:  # too late: another worker has this one's place
                return
            self._finish(call, results)
        self._workers -= 1

    async def _tries(self, record: Any) -> Any:
        """Call the function until the strategy is content."""
        invoke, can_retry = self._function.async_invoke, self._strategy.can_retry
        on_result, on_exception = self._on_result, self._on_exception
        attempts = 1
        while True:
            try:
                results = await invoke(record)
            except Exception as error:
                if on_exception is None or not on_exception(error) or not can_retry(attempts):
                    raise
            else:
                if on_result is None or results is None or not on_result(results) or not can_retry(attempts):
                    return results
            await asyncio.sleep(self._strategy.get_backoff_time_millis(attempts) / 1000)
            attempts += 1

    def _listed(self, results: Any) -> list[Any]:
        if isinstance(results, Iterable):  # as in PyFlink, even a text: one record a character
            return list(results)
        what = "None" if results is None else f"{type(results).__name__} {cut(results)}"
        raise ValidationError(f"{self._name} must return a list of records, an empty one for none: got {what}.")

    def _finish(self, call: Call, results: list[Any]) -> None:
        call.results = results
        call.done = True
        deadlines = self._deadlines
        while deadlines and deadlines[0].done:
            deadlines.popleft()
        if len(deadlines) > 4 * self._capacity + 1000:  # a slow record keeps those after it
            self._deadlines = deque(c for c in deadlines if not c.done)
        if self._ordered:
            order = self._order
            while order and order[0].done:
                first = order.popleft()
                self._give(first.results, first.time)
                self.open -= 1
        else:
            self._give(results, call.time)
            self.open -= 1
        if self._goal is not None and self.open <= self._left and not self._goal.done():
            self._goal.set_result(None)

    def _fail(self, call: Call, error: BaseException, method: str) -> None:
        """The first failure ends everything."""
        if self._error is None:
            if isinstance(error, asyncio.CancelledError):
                cancelled = error
                error = RuntimeError("the call was cancelled, but not by its timeout")
                error = error.with_traceback(cancelled.__traceback__)
                error.__cause__ = cancelled
            self._error, self.failed = error, (call, f"{self._name}.{method}")
        if self._goal is not None and not self._goal.done():
            self._goal.set_result(None)

    # -- timeouts ----------------------------------------------------------------------------------------

    def _set_alarm(self) -> None:
        """One timer of the loop serves all records: it goes off when the oldest may be due."""
        assert self._loop is not None
        self._alarm = self._loop.call_at(self._deadlines[0].deadline + self._away, self._expire)

    def _expire(self) -> None:
        assert self._loop is not None
        self._alarm = None
        now = self._loop.time() - self._away
        deadlines = self._deadlines
        while deadlines and (deadlines[0].done or deadlines[0].deadline <= now):
            call = deadlines.popleft()
            if not call.done:
                self._give_up(call)
                deadlines = self._deadlines
        if deadlines and self._error is None:
            self._set_alarm()

    def _give_up(self, call: Call) -> None:
        """Take the fallback in place of the answer, and a new worker in place of the one that waits for it."""
        try:
            results = self._listed(self._function.timeout(call.record))
        except BaseException as error:
            self._fail(call, error, "timeout")
            return
        self._finish(call, results)
        call.task.cancel()
        self._workers -= 1
        if self._waiting:
            self._start_worker()


async def _look_around() -> None:
    """Let the loop hear of what happened, and let the callbacks of that call others."""
    for _ in range(3):
        await asyncio.sleep(0)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    loop.set_exception_handler(lambda *_: None)  # calls that a failed job left open are no news any more
    loop.close()
