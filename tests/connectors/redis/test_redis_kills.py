"""Jobs from streams into a list, while they or the server are killed (-9)."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, JobError, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.connectors.redis import RedisCommand, RedisSink, RedisStreamsSource
from datastream.formats import SimpleStringSchema
from datastream.time import WatermarkStrategy
from tests.support.processes import ROOT
from tests.support.servers.redis import OwnRedisServer, RedisServer
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

RECORDS = 600
MANY = 20_000


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", "-D", "datastream.epoch.max-records=100"]
    command += ["-D", "restart-strategy.type=fixed-delay", "-D", "restart-strategy.fixed-delay.attempts=10"]
    command += ["-D", "restart-strategy.fixed-delay.delay=100 ms", "--checkpoint-dir", f"{folder}/checkpoint"]
    command += ["tests/connectors/redis/killed_job.py", str(folder), *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize("victim", ["driver", "worker"])
@pytest.mark.parametrize("point", ["read", "written", "committed"])
def test_each_record_is_there_once(tmp_path: Path, redis_server: RedisServer, point: str, victim: str) -> None:
    streams, target = [redis_server.key() for _ in range(2)], redis_server.key()
    for place, stream in enumerate(streams):
        redis_server.add(stream, [f"n{n}".encode() for n in range(place, RECORDS, 2)])
    given = (point, victim, str(redis_server.port), ",".join(streams), target)
    code, log = run(tmp_path, *given)
    assert (tmp_path / "died").exists(), log
    if victim == "driver":
        assert code == -signal.SIGKILL, log
        code, log = run(tmp_path, *given)
    assert code == 0, log
    with redis_server.api as api:
        found = Counter(value.decode() for value in api.lrange(target, 0, -1))
    assert found == Counter(f"N{n}" for n in range(RECORDS))


def test_each_record_once_though_the_server_is_killed(
    own_redis: OwnRedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "executor", "spark")
    stream, target = own_redis.key(), own_redis.key()
    own_redis.add(stream, [f"{n}".encode() for n in range(MANY)])

    def start() -> Any:
        configuration = Configuration()
        configuration.set_string("execution.checkpointing.dir", f"{tmp_path}/checkpoint")
        configuration.set_string("datastream.epoch.max-records", "500")
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(2)
        source = RedisStreamsSource(own_redis.connection, stream, SimpleStringSchema())
        texts = env.from_source(source, WatermarkStrategy.no_watermarks(), "in").uid("in")
        sink = RedisSink(own_redis.connection, lambda text: RedisCommand.rpush(target, text))
        texts.map(lambda text: text, Types.STRING()).rebalance().sink_to(sink).uid("out")
        return env.execute_async("numbers")

    def size() -> int:
        with own_redis.api as api:
            return int(api.llen(target))

    def wait_for(count: int, job: Any) -> Any:
        """Wait for so many values; a job that has failed starts again."""

        def look() -> bool:
            nonlocal job
            if size() >= count:
                return True
            if job.get_job_execution_result().done():
                job = start()
            return False

        wait_until(look, f"{count} values", 150, 0.1, size)
        return job

    job = start()
    for count in (2_000, 8_000):
        job = wait_for(count, job)
        own_redis.kill()
        own_redis.start()
    job = wait_for(MANY, job)
    with suppress(JobError):
        job.cancel().result()
    with own_redis.api as api:
        found = Counter(int(value) for value in api.lrange(target, 0, -1))
    assert found == Counter(range(MANY))
