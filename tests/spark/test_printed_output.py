"""What functions print in workers comes to the driver's output, whatever it is and however it is cut."""

from __future__ import annotations

import os
import threading

import pytest

from datastream.spark.process.printed import Printed


def write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def test_long_lines_and_marks_in_pieces_come_through(capsys: pytest.CaptureFixture[str]) -> None:
    printed = Printed()
    long = b"x" * 30_000_000
    write(printed.descriptor, b"first\n" + long)
    printed.drain()
    write(printed.descriptor, b"\0" * 200_000 + b"\nend")
    printed.drain()
    assert capsys.readouterr().out == f"first\n{long.decode()}{chr(0) * 200_000}\nend"
    seen = threading.Event()
    printed._waiting.append(seen)
    mark = printed._mark
    for at in range(len(mark)):
        write(printed.descriptor, mark[at : at + 1])
    assert seen.wait(30)
    write(printed.descriptor, b"last")
    printed.close()
    assert capsys.readouterr().out == "last"
