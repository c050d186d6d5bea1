"""What ``datastream state`` prints and takes; the checkpoint is a stand-in."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from datastream.cli.state import command
from datastream.errors import CheckpointError, ValidationError
from datastream.runtime.state_view import StateName, StateRow


class FakeReader:
    problems = ("a.B could not be imported",)

    def __init__(self):
        self.asked = None
        self.found = [
            StateRow("uid", "keyed_process", "v", "value", "a", {"x": 1}, None, None, 3),
            StateRow("uid", "keyed_process", "list", "list", 2, [1, 2], 5000, 17, 4),
        ]

    def names(self, operator):
        self.asked = operator
        return {
            StateName("uid", "keyed_process", "v", "value"): 12,
            StateName("b", "reduce", "(reduce)", "value"): 1,
            StateName("window-4", "window", "", ""): 0,
        }

    def rows(self, operator, state, key, limit):
        self.asked = operator, state, limit
        return (row for row in self.found if key is None or key(row.key))


@pytest.fixture
def reader(monkeypatch):
    made = FakeReader()
    ours = SimpleNamespace(open_reader=lambda checkpoint: made)
    monkeypatch.setitem(sys.modules, "datastream.spark.state_view", ours)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return made


def call(*args):
    return CliRunner().invoke(command, [str(arg) for arg in args], catch_exceptions=False)


def test_ls(reader, tmp_path):
    done = call("ls", tmp_path)
    assert done.stdout.splitlines() == [
        "operator  kind           state     form   keys",
        "b         reduce         (reduce)  value  1",
        "uid       keyed_process  v         value  12",
        "window-4  window         -         -      0",
    ]
    assert done.stderr == "warning: a.B could not be imported\n"


def test_ls_as_json(reader, tmp_path):
    done = call("ls", "--format", "json", "--operator", "uid", tmp_path)
    assert json.loads(done.stdout.splitlines()[1]) == {
        "operator": "uid",
        "kind": "keyed_process",
        "state": "v",
        "form": "value",
        "keys": 12,
    }
    assert reader.asked == "uid"
    assert json.loads(done.stdout.splitlines()[2]) == {
        "operator": "window-4",
        "kind": "window",
        "state": None,
        "form": None,
        "keys": 0,
    }


def test_show(reader, tmp_path):
    done = call("show", "--operator", "uid", "--state", "v", "--limit", 7, tmp_path)
    assert done.stdout.splitlines() == [
        "operator  state  key  value",
        "uid       v      'a'  {'x': 1}",
        "uid       list   2    [1, 2]  (2 of 5000)",
    ]
    assert reader.asked == ("uid", "v", 7)


def test_show_as_json(reader, tmp_path):
    done = call("show", "--format", "json", tmp_path)
    assert [json.loads(line) for line in done.stdout.splitlines()][1] == {
        "operator": "uid",
        "kind": "keyed_process",
        "state": "list",
        "form": "list",
        "key": 2,
        "value": [1, 2],
        "entries": 5000,
        "touched": 17,
        "group": 4,
    }


@pytest.mark.parametrize(("text", "count"), [("a", 1), ("'a'", 1), ("2", 1), ("b", 0)])
def test_a_key_is_named_by_its_repr_or_its_text(reader, tmp_path, text, count):
    assert len(call("show", "--key", text, tmp_path).stdout.splitlines()) == 1 + count


def test_long_values_are_cut(reader, tmp_path):
    reader.found = [StateRow("uid", "reduce", "(reduce)", "value", "k", "x" * 1000, None, None, 0)]
    assert len(call("show", tmp_path).stdout.splitlines()[1]) < 250


@pytest.mark.parametrize(("error", "code"), [(CheckpointError("no such state"), 1), (ValidationError("no uid"), 2)])
def test_errors(reader, tmp_path, monkeypatch, error, code):
    def fail(operator):
        raise error

    monkeypatch.setattr(reader, "names", fail)
    done = call("ls", tmp_path)
    assert done.exit_code == code
    assert str(error) in done.stderr


def test_usage(tmp_path):
    assert call("show", tmp_path / "nowhere").exit_code == 2
    assert call("show", "--limit", 0, tmp_path).exit_code == 2
    assert "only checkpoints that you trust" in " ".join(call("--help").output.split())
