"""Files of statements: modules beside them, and where an error is."""

from __future__ import annotations

import sys

import pytest

from datastream.config.settings import settings
from datastream.driver.script import run_script
from datastream.errors import FunctionError


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))


def run(folder, text):
    path = folder / "job.sql"
    path.write_text(text)
    run_script(path, ())


def test_a_function_in_a_module_beside_the_file(tmp_path, capsys):
    lines = ("from datastream.table import DataTypes", "from datastream.table.udf import udf")
    body = ("@udf(result_type=DataTypes.INT())", "def half(n):", "    return n // 2")
    (tmp_path / "halving_beside.py").write_text("\n".join((*lines, "", "", *body)) + "\n")
    create = "CREATE FUNCTION half AS 'halving_beside.half' LANGUAGE PYTHON;\n"
    run(tmp_path, create + "SELECT half(a) AS h FROM (VALUES (8)) AS t (a);")
    assert "| +I |           4 |" in capsys.readouterr().out


def test_an_error_while_it_runs_names_the_line_of_the_file(tmp_path):
    with pytest.raises(FunctionError, match=r"at: +\S*job\.sql:3"):
        run(tmp_path, "SHOW TABLES;\n\nSELECT 1 / a FROM (VALUES (0)) AS t (a);\n")
