"""What becomes of messages of `logging` and structlog."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest
import structlog

from datastream.logs import place, structured
from datastream.logs.entry import Entry
from datastream.logs.handler import JobLogHandler
from datastream.logs.place import Place, RunningOperator
from datastream.logs.rate_limit import RateLimit

HERE = Place("sums", lambda frame: RunningOperator("Sum", "sum", 2), subtask=3, epoch=7)


class Log:
    """A logger, its handler and the entries that came of it."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.handler = JobLogHandler(self.entries.append)
        self.logger = logging.Logger("mine", logging.DEBUG)
        self.logger.addHandler(self.handler)


@pytest.fixture
def log() -> Iterator[Log]:
    yield Log()
    structlog.reset_defaults()


def test_fields_of_the_place(log: Log) -> None:
    with place.at(HERE):
        log.logger.warning("got %d", 3, extra={"key": "a"})
    (entry,) = log.entries
    line = entry.pop("line")
    assert line.startswith(__file__ + ":")
    assert entry.pop("timestamp").endswith("Z")
    assert entry == {
        "level": "warning", "logger": "mine", "event": "got 3", "job": "sums", "operator": "Sum", "uid": "sum",
        "subtask": 1, "epoch": 7, "key": "a",
    }  # fmt: skip


def test_outside_of_jobs(log: Log) -> None:
    log.handler.outside = logging.WARNING
    log.logger.info("not shown")
    log.logger.error("shown")
    assert [entry["event"] for entry in log.entries] == ["shown"]
    assert "job" not in log.entries[0]


def test_level_of_jobs(log: Log) -> None:
    log.handler.inside = logging.ERROR
    structured.configure(log.handler, logging.INFO)
    with place.at(HERE):
        log.logger.warning("not shown")
        structlog.get_logger().warning("not shown")
        structlog.get_logger().error("shown")
    log.logger.info("outside")
    assert [entry["event"] for entry in log.entries] == ["shown", "outside"]


def test_an_exception_names_file_and_line(log: Log) -> None:
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError:
        log.logger.exception("failed")
    trace = log.entries[0]["exception"]
    assert f'File "{__file__}", line ' in trace
    assert trace.endswith("ZeroDivisionError: division by zero")


def test_arguments_that_do_not_fit_fail_nobody(log: Log) -> None:
    log.logger.info("%d records", "many")
    assert log.entries[0]["event"].startswith("%d records (its arguments ('many',) do not fit: ")


def test_what_a_line_logs_too_often_is_counted(log: Log) -> None:
    log.handler.limit = RateLimit(3)
    with place.at(HERE):
        for n in range(10):
            log.logger.info("record %d", n)
        log.logger.info("another line")
        log.handler.report_left_out()
    *shown, told = log.entries
    assert [entry["event"] for entry in shown] == ["record 0", "record 1", "record 2", "another line"]
    assert told["left_out"] == 7
    assert told["line"] == shown[0]["line"]
    assert told["event"].startswith("7 more messages of this line were left out")


def test_structlog(log: Log) -> None:
    structured.configure(log.handler, logging.INFO)
    mine = structlog.get_logger().bind(key="a")
    with place.at(HERE):
        mine.debug("not shown")
        mine.info("got one", value=3, operator="my own")
        try:
            1 / 0  # noqa: B018
        except ZeroDivisionError:
            structlog.get_logger("other").exception("failed")
    first, second = log.entries
    assert (first["level"], first["logger"], first["event"]) == ("info", __name__, "got one")
    assert (first["job"], first["operator"], first["operator_"]) == ("sums", "Sum", "my own")
    assert (first["key"], first["value"], first["line"].rpartition(":")[0]) == ("a", 3, __file__)
    assert (second["level"], second["logger"]) == ("error", "other")
    assert second["exception"].endswith("ZeroDivisionError: division by zero")


def test_threads_that_functions_start_are_at_their_place() -> None:
    found = []
    with place.at(HERE):
        thread = threading.Thread(target=lambda: found.append(place.current()))
        thread.start()
        thread.join()
    assert found == [HERE]
    assert place.current() is None


def test_what_cannot_be_logged_fails_nobody(capsys):
    class Odd:
        def __repr__(self):
            raise RuntimeError("no repr")

        def __eq__(self, other):
            raise RuntimeError("no ==")

    found = []
    handler = JobLogHandler(found.append)
    logger = logging.getLogger("odd")
    logger.propagate = False
    logger.addHandler(handler)
    try:
        logger.warning("%s", Odd())
        logger.warning(Odd())
        logger.warning("fields", extra={"level": Odd(), "event": Odd()})
    finally:
        logger.removeHandler(handler)
        logger.propagate = True
    assert len(found) == 3
    assert "no repr" in found[0]["event"] or "repr failed" in found[0]["event"]
