"""`datastream shell`."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.processes import datastream

TYPED = """
def twice(n):
    return n * factor

factor = 2
sorted(env.from_sequence(1, 3).map(twice).execute_and_collect())
t_env.sql_query("SELECT 1 AS a UNION ALL SELECT 1").distinct().execute().print()
bt_env.from_elements([(1, "a"), (1, "b")], ["n", "w"]).group_by(col("n")).select(col("w").count).execute().print()
b_env is env, s_env is env, st_env is t_env
undefined
DataTypes.INT()
"""


def test_names_are_ready(tmp_path: Path) -> None:
    ended = subprocess.run(
        datastream("shell", "--executor", "local", "-p", "1"),
        input=TYPED,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stderr
    assert "[2, 4, 6]" in ended.stdout
    assert "| +I |           1 |" in ended.stdout, ended.stdout
    assert "|                    2 |" in ended.stdout
    assert "(False, True, True)" in ended.stdout
    assert "name 'undefined' is not defined" in ended.stderr
    assert ended.stdout.rstrip().endswith("IntType(true)\n>>>"), ended.stdout
