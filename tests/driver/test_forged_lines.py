"""Texts of records with line breaks and control characters forge no lines of error reports and logs for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.cli.log_text import log_text
from tests.driver.test_left_jobs import run, warnings_not_shown_yet

__all__ = ["warnings_not_shown_yet"]

FORGED = "x\nerror: forged\r\n  function: forged\nwarning: forged\x1b[2J\x9b31m\u2028forged\u202e"

JOB = f"""
import logging
record = {FORGED!r}

class Shown:
    def __repr__(self):
        return record

def raising(value):
    raise ValueError(f"bad value {{value}}")

def logging_it(value):
    logging.getLogger("job").warning("bad value %s", value)
    logging.getLogger("job").warning("with a field", extra={{"field": value}})
    try:
        raising(value)
    except ValueError:
        logging.getLogger("job").exception("caught")
    return value

def written(function, value):
    env.from_collection([value]).map(function).sink_to(DiscardingSink())
    env.execute()
"""

#: A script's last lines, and what is said of the record.
WAYS = {
    "written(raising, record)": "failed: ValueError: bad value x\\nerror: forged\\x0d\\n  function: forged\\nwarning",
    "written(lambda value: 1 / 0, Shown())": "  record:   x\\nerror: forged\\x0d\\n",
    "written(logging_it, record)": "bad value x\\nerror: forged\\x0d\\n",
    "raising(record)": "ValueError: bad value x\n  error: forged\\x0d\n    function: forged\n  warning: forged\\x1b[2J",
    "env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1, 1))\nwritten(raising, record)": "bad value x\\n",
    "t.execute_sql(f\"SELECT CAST('{record}' AS INT) AS n\").print()": "\\nerror: forged",
}


@pytest.mark.parametrize("text", WAYS)
def test_no_line_of_ours_is_forged(tmp_path: Path, text: str) -> None:
    shown = run(tmp_path, JOB + "from pyflink.common import RestartStrategies\n" + text)
    assert WAYS[text] in shown.stderr
    for line in shown.stderr.split("\n"):
        assert not line.startswith(("error: forged", "warning: forged", "  function: forged"))
    assert not set(shown.stderr) & set(FORGED) & set("\r\x1b\x9b\u2028\u202e")


@pytest.mark.parametrize("place", ["event", "error", "type", "exception", "stack", "trace", "field", "level"])
def test_no_line_of_a_jobs_log_is_forged(place: str) -> None:
    lines = log_text({"event": "told", "level": "info", "error": "failed", "type": "E", place: FORGED}).split("\n")
    assert not any(line.startswith(("error: forged", "warning: forged")) for line in lines[1:])
    assert not set("".join(lines)) & set("\r\x9b\u2028\u202e")
