"""``datastream replay``, of a job of tables."""

from __future__ import annotations

import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import wait_until

SCRIPT = """
import sys
import time
from pyflink.table import EnvironmentSettings, TableEnvironment

def main(folder, wrong="", **settings):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in {"restart-strategy.type": "disable", "parallelism.default": "1", **settings}.items():
        t_env.get_config().set(key.replace("__", "."), value)
    t_env.create_temporary_system_function("checked", checked(wrong))
    t_env.execute_sql(
        f"CREATE TABLE src (k STRING, v BIGINT) WITH ('connector'='filesystem','path'='{folder}/in','format'='csv')"
    )
    t_env.execute_sql(
        f"CREATE TABLE snk (k STRING, d DATE, v BIGINT) "
        f"WITH ('connector'='filesystem','path'='{folder}/out','format'='json')"
    )
    t_env.execute_sql("INSERT INTO snk SELECT checked(k), DATE '2024-05-06', v * 2 FROM src").wait()

def checked(wrong):
    from pyflink.table import DataTypes
    from pyflink.table.udf import udf

    @udf(result_type=DataTypes.STRING())
    def checked(k):
        if k == wrong:
            raise ValueError(f"{k} is wrong")
        if wrong.startswith("wait"):
            open(wrong, "w").close()
            time.sleep(3600)
        return k

    return checked

if __name__ == "__main__":
    main(*sys.argv[1:])
"""


@pytest.mark.usefixtures("pyflink")
def test_the_epoch_in_which_a_job_failed(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("a,1\nb,2\n")
    script = tmp_path / "job.py"
    script.write_text(SCRIPT)
    main = runpy.run_path(str(script))["main"]
    with pytest.raises(Exception, match="b is wrong"):
        main(tmp_path, "b", execution__checkpointing__dir=str(tmp_path / "checkpoint"))

    command = [sys.executable, "-m", "datastream.cli", "replay"]

    def replayed(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *args], capture_output=True, text=True, timeout=300)

    given = str(tmp_path / "checkpoint"), str(script), str(tmp_path)
    again = replayed(*given, "b")
    assert again.returncode == 1, again.stderr
    assert "ValueError: b is wrong" in again.stderr
    mended = replayed("--epoch", "0", *given)
    assert mended.returncode == 0, mended.stderr
    assert mended.stdout == (
        "default_catalog.default_database.snk> +I[a, 2024-05-06, 2]\n"
        "default_catalog.default_database.snk> +I[b, 2024-05-06, 4]\n"
    )
    assert "replaying epoch 0" in mended.stderr and "which was not committed" in mended.stderr
    assert not list((tmp_path / "out").rglob("part-*"))
    begun = tmp_path / "wait"
    with subprocess.Popen(
        [*command, *given, "wait"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as waiting:
        wait_until(begun.exists, 120)
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=120)
    assert waiting.returncode == 130 and "cancelled" in said, said
    gone = replayed("--epoch", "7", *given)
    assert gone.returncode == 2 and "holds the epochs 0 to 0, and not epoch 7" in gone.stderr, gone.stderr
    nothing = tmp_path / "nothing.py"
    nothing.write_text("print('done')\n")
    none = replayed(str(tmp_path / "checkpoint"), str(nothing))
    assert none.returncode == 2 and "no job was executed" in none.stderr, none.stderr
