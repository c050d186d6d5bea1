from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.services.gateway.conftest import GatewayServer
from tests.support.servers.jars import Artifact, installed, java

DRIVER = (
    Artifact("org.apache.flink", "flink-sql-jdbc-driver-bundle", "2.3.0", transitive=False),
    Artifact("org.slf4j", "slf4j-nop", "2.0.17"),
)
SAID = """true
table name=nowhere
true
n=1|word=to|x=1.5|d=2024-02-29|ts=2024-02-29 12:34:56.789|nothing=null
n=2|word=be|x=3.0|d=2024-02-29|ts=2024-02-29 12:34:56.789|nothing=null
true
true
job id=JOB
1 to
refused: true
"""


@pytest.mark.long
def test_flinks_jdbc_driver_connects(gateway: GatewayServer) -> None:
    jars = installed("flink-jdbc-driver-2.3.0-nop", DRIVER) / "lib" / "*"
    program = Path(__file__).with_name("Talk.java")
    url = f"jdbc:flink://{gateway.url.removeprefix('http://')}?datastream.executor=local"
    done = subprocess.run(
        [java(), "-XX:TieredStopAtLevel=1", "-cp", str(jars), str(program), url],
        env={**os.environ, "FLINK_REST_CLIENT_HEADERS": f"Authorization:Bearer {gateway.token}"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}\n{gateway.run.told()}"
    assert re.sub(r"[0-9a-f]{32}", "JOB", done.stdout) == SAID
