"""Functions that travel keep the file that they were written in."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from datastream.types.pickles import as_now, dumps_by_value

JOB = """
import functools

def plain(value): return value
nested = lambda value: (lambda inner: inner)(value)
comprehension = lambda values: [(lambda: value)() for value in values]
def decorated(value):
    @functools.wraps(plain)
    def inner(value): return value
    return inner
bound = functools.partial(plain)
class Method:
    def map(self, value):
        def inside(): return value
        return inside()
    @staticmethod
    def still(value): return value
    @property
    def prop(self): return (lambda: 1)()
method = Method().map
def generator(values):
    yield from (value for value in values)
async def asynchronous(value):
    return value
"""


def written(name: str = "my job.py") -> dict[str, Any]:
    """What a script defines that is no module: its functions travel by value."""
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(JOB, f"/jobs/{name}", "exec"), found)
    return found


def codes(value: Any) -> Iterator[CodeType]:
    """All code that hangs on a function, method, partial or object."""
    value = getattr(value, "func", getattr(value, "__func__", value))
    if not isinstance(value, FunctionType):
        methods = [getattr(item, "fget", getattr(item, "__func__", item)) for item in vars(type(value)).values()]
        for method in methods:
            if isinstance(method, FunctionType):
                yield from codes(method)
        return
    waiting = [value.__code__]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def travelled(value: Any) -> Any:
    return pickle.loads(dumps_by_value(value))


def here(value: Any) -> Any:
    return pickle.loads(dumps_by_value(value, here=True))


@pytest.mark.parametrize("way", [travelled, here, as_now])
@pytest.mark.parametrize(
    "name",
    ["plain", "nested", "comprehension", "decorated", "bound", "method", "object", "generator", "asynchronous"],
)
def test_code_keeps_its_file(name: str, way: Callable[[Any], Any]) -> None:
    job = written()
    value = job["Method"]() if name == "object" else job[name]
    before, after = list(codes(value)), list(codes(way(value)))
    assert {code.co_filename for code in after} == {"/jobs/my job.py"}
    assert [(c.co_name, c.co_firstlineno) for c in after] == [(c.co_name, c.co_firstlineno) for c in before]


def test_breakpoints_bind_to_functions_that_travelled(tmp_path: Path) -> None:
    """A debugger finds a line by the file of the code that runs."""
    script = tmp_path / "job.py"
    script.write_text(
        "import bdb, pickle\n"
        "from datastream.types.pickles import dumps_by_value\n"
        "def double(value):\n"
        "    return value * 2\n"
        "class Debugger(bdb.Bdb):\n"
        "    def user_line(self, frame):\n"
        "        if self.break_here(frame): print('stopped at line', frame.f_lineno)\n"
        "        self.set_continue()\n"
        "debugger = Debugger()\n"
        "debugger.set_break(__file__, 4)\n"
        "came = pickle.loads(dumps_by_value(double))\n"
        "print(debugger.runcall(came, 2))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("stopped at line 4\n4\n", "")
