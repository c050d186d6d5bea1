"""What Flink's SQL client prints for a file of statements, without what is another each time.

``python -m tests.cli.sql.flink_client`` runs the client of the PyFlink that `scripts/parity` installs, and records it.
Flink's jar of the SQL gateway, which PyFlink leaves out, is taken from the local repository of Maven:
``mvn dependency:get -Dartifact=org.apache.flink:flink-sql-gateway:2.3.0 -Dtransitive=false``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"
STATEMENTS, RECORD = RECORDED / "statements.sql", RECORDED / "statements.txt"
#: Jobs run in the client's process.
_LOCAL = "SET 'execution.target' = 'local';\n"
_GATEWAY = Path.home() / ".m2/repository/org/apache/flink/flink-sql-gateway/2.3.0/flink-sql-gateway-2.3.0.jar"
#: The client prints what it runs, or a part of it, before what comes of it.
_BEGINS = re.compile(r"\[INFO\]|\[ERROR\] Could|^\+-|\+-[-+]*\+\n|Empty set|Received", re.MULTILINE)
_OPENED = (
    "lang",
    "util",
    "net",
    "io",
    "nio",
    "text",
    "time",
    "lang.reflect",
    "util.concurrent",
    "util.concurrent.atomic",
)


def record() -> None:
    """Run Flink's client, and keep what it prints."""
    from tests.parity.flink import find_java, install

    home = next(install().glob("lib/python*/site-packages/pyflink"))
    script = RECORDED / "with_target.sql"
    script.write_text(_LOCAL + STATEMENTS.read_text())
    opened = [f"--add-opens=java.base/java.{each}=ALL-UNNAMED" for each in _OPENED]
    path = os.pathsep.join([f"{home}/lib/*", f"{home}/opt/*", str(_GATEWAY)])
    command = [str(find_java()), *opened, "-cp", path, "org.apache.flink.table.client.SqlClient", "-f", str(script)]
    try:
        ended = subprocess.run(
            command, env={**os.environ, "FLINK_CONF_DIR": f"{home}/conf"}, stdin=subprocess.DEVNULL, capture_output=True
        )
    finally:
        script.unlink()
    RECORD.write_text(flink_record(ended.stdout.decode()))


def flink_record(printed: str) -> str:
    """What Flink's client has printed, without its prompts and log."""
    parts = re.sub(r"\x1b\[[0-9;]*m", "", printed).split("\nFlink SQL> ")[2:]
    told = []
    for part in parts:
        if found := list(_BEGINS.finditer(part)):
            errors = [each for each in found if each[0].startswith("[ERROR]")]
            told.append(part[(errors or found)[0].start() :])
    text = re.sub(r"\norg\.apache\.flink\.[\w.]+: ", "\n", "\n".join(told))
    return same_each_time(text.partition("\nShutting down")[0])


def same_each_time(printed: str) -> str:
    """Without times, ids and empty lines."""
    text = re.sub(r"[0-9.]+ seconds", "1.00 seconds", re.sub(r"Job ID: \w+", "Job ID: 0", printed))
    return "\n".join(line for line in text.splitlines() if line) + "\n"


if __name__ == "__main__":
    sys.exit(record())
