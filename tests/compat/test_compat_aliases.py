"""The `pyflink` aliases: what they find, what they refuse, and that they come and go."""

import importlib
import pickle
import subprocess
import sys

import pytest

import datastream.compat as compat
from datastream.compat.names import NAMES, PACKAGES
from datastream.functions import KeyedProcessFunction, MapFunction
from datastream.time import TimestampAssigner
from datastream.types import Row, Types


@pytest.mark.parametrize("module", [*PACKAGES, *NAMES])
def test_every_module_of_pyflink_imports(pyflink, module):
    assert importlib.import_module(module).__name__ == module


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("from pyflink.common import Types as it", Types),
        ("from pyflink.common.typeinfo import Types as it", Types),
        ("from pyflink.common.types import Row as it", Row),
        ("from pyflink.datastream import MapFunction as it", MapFunction),
        ("from pyflink.datastream.functions import MapFunction as it", MapFunction),
        ("from pyflink.common.watermark_strategy import TimestampAssigner as it", TimestampAssigner),
        ("import pyflink.datastream.functions; it = pyflink.datastream.functions.MapFunction", MapFunction),
        ("import pyflink; it = pyflink.common.types.Row", Row),
        ("from pyflink.common import types; it = types.Row", Row),
    ],
)
def test_names_are_ours(pyflink, line, value):
    scope = {}
    exec(line, scope)
    assert scope["it"] is value


@pytest.mark.parametrize(
    "line",
    [
        "from pyflink.datastream.functions import IN, IN1, IN2, KEY, OUT, W, W2",
        "from pyflink.datastream.state import IN, K, OUT, T, V",
        "from pyflink.datastream.window import IN, KEY, OUT, T, W, W2",
    ],
)
def test_type_variables_of_pyflink_import(pyflink, line):
    scope = {}
    exec(f"from typing import Generic\n{line}\nclass Own(Generic[OUT]): pass", scope)
    assert scope["OUT"].__name__ == "OUT"


def test_star_import(pyflink):
    scope = {}
    exec("from pyflink.common.types import *", scope)
    assert scope["Row"] is Row
    assert "RowKind" in dir(importlib.import_module("pyflink.common"))


@pytest.mark.parametrize("module", ["pyflink.datastream", "pyflink.common.typeinfo"])
def test_missing_names_say_so(pyflink, module):
    text = f"^{module} has no name 'Nothing'$"
    with pytest.raises(ImportError, match=text):
        exec(f"from {module} import Nothing")
    with pytest.raises(AttributeError, match=text):
        importlib.import_module(module).Nothing  # noqa: B018
    assert not hasattr(importlib.import_module(module), "Nothing")


def test_missing_modules_say_so(pyflink):
    with pytest.raises(ImportError, match="^pyflink has no name 'nowhere'$"):
        importlib.import_module("pyflink.nowhere")


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            "from pyflink.datastream import StreamExecutoinEnvironment",
            "pyflink.datastream has no name 'StreamExecutoinEnvironment'; did you mean 'StreamExecutionEnvironment'?",
        ),
        ("import pyflink.datastrem", "pyflink has no name 'datastrem'; did you mean 'datastream'?"),
        (
            "from pyflink.datastream.functions import RichMapFunction",
            "pyflink.datastream.functions has no name 'RichMapFunction', in PyFlink as here: "
            "MapFunction has open() and close()",
        ),
        (
            "from pyflink.table import StreamTableEnvironmnt",
            "pyflink.table has no name 'StreamTableEnvironmnt'; did you mean 'StreamTableEnvironment'?",
        ),
        (
            "import pyflink.shell",
            "pyflink.shell is not part of datastream. See docs/differences.md for what to use instead.",
        ),
        (
            "from pyflink.datastream.window import mod_inverse",
            "PyFlink's mod_inverse is not in datastream yet (asked for as pyflink.datastream.window.mod_inverse). "
            "See docs/differences.md for what to use instead.",
        ),
    ],
)
def test_what_is_not_there_is_told_by_its_reason(pyflink, statement, text):
    with pytest.raises(ImportError) as caught:
        exec(statement)
    assert str(caught.value) == text


def test_pickles_by_pyflink_name_load(pyflink):
    by_name = b"cpyflink.common.types\nRow\n."
    assert pickle.loads(by_name) is Row
    nested = b"\x80\x04\x8c\x1cpyflink.datastream.functions\x8c\x1cKeyedProcessFunction.Context\x93."
    assert pickle.loads(nested) is KeyedProcessFunction.Context


def test_install_and_uninstall():
    was = compat.installed()
    compat.uninstall()
    try:
        assert not compat.installed()
        assert compat.install()
        assert compat.install()
        importlib.import_module("pyflink.common")
        compat.uninstall()
        assert not [name for name in sys.modules if name.partition(".")[0] == "pyflink"]
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("pyflink")
    finally:
        if was:
            compat.install()


@pytest.mark.parametrize(("file", "wins"), [("__init__.py", False), ("notes.txt", True)])
def test_real_pyflink_wins(tmp_path, monkeypatch, file, wins):
    (tmp_path / "pyflink").mkdir()
    (tmp_path / "pyflink" / file).write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    was = compat.installed()
    compat.uninstall()
    try:
        assert compat.install() is wins
    finally:
        compat.uninstall()
        if was:
            compat.install()


def test_install_imports_nothing_more():
    code = (
        "import sys, datastream; before = set(sys.modules); import datastream.compat as c; c.install(); "
        "print(sorted(m for m in set(sys.modules) - before if m.startswith('datastream')))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "['datastream.compat', 'datastream.compat.aliases']"


def test_names_that_the_data_stream_api_had_before(pyflink):
    from pyflink.datastream import FsStateBackend, StreamExecutionEnvironment, TimeCharacteristic
    from pyflink.datastream.time_characteristic import TimeCharacteristic as Same

    env = StreamExecutionEnvironment.get_execution_environment()
    assert env.get_stream_time_characteristic() is TimeCharacteristic.EventTime is Same.EventTime
    env.set_stream_time_characteristic(TimeCharacteristic.ProcessingTime)
    assert env.get_stream_time_characteristic() is TimeCharacteristic.ProcessingTime
    backend = FsStateBackend("file:///tmp/checkpoints")
    assert env.set_state_backend(backend) is env and env.get_state_backend() is backend
    with pytest.raises(ValueError, match="expected a TimeCharacteristic, got 'EventTime'"):
        env.set_stream_time_characteristic("EventTime")
    assert "set_state_backend" not in dir(env)
