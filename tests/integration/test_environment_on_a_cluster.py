"""Jobs that bring packages, modules, archives and files, on a cluster of two workers with folders of their own."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.support.cluster import Cluster
from tests.support.offline import Wheels
from tests.support.processes import Run, Runs

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

JOB = """
import os
from pyflink.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.register_cached_file("model.txt", "model")

class Price(MapFunction):
    def open(self, runtime_context: RuntimeContext):
        with open(runtime_context.get_distributed_cache().get_file("model")) as file:
            self.model = file.read()

    def map(self, number):
        import greeting, tariffs
        with open("data/factor.txt") as factor:
            return greeting.VERSION, tariffs.PRICE * number * int(factor.read()), self.model, greeting.__file__

prices = env.from_sequence(1, 6).map(Price())
prices.key_by(lambda p: p[1]).map(lambda p: p[:3]).print()
prices.map(lambda p: p[3].split("/environments/")[0]).key_by(lambda place: place).map(lambda p: f"from {p}").print()
env.execute("prices")
"""


def start(runs: Runs, cluster: Cluster, *options: object) -> Run:
    folder = runs.folder
    (folder / "job.py").write_text(JOB)
    (folder / "model.txt").write_text("a model")
    (folder / "tariffs.py").write_text("PRICE = 7\n")
    with zipfile.ZipFile(folder / "data.zip", "w") as archive:
        archive.writestr("factor.txt", "10")
    return runs.job(
        "--master", cluster.master,
        "-D", f"spark.pyspark.python={cluster.python}",
        "-D", "spark.executorEnv.DATASTREAM_ENVIRONMENTS=environments",
        "-D", "spark.executor.cores=1",
        "-pyfs", "tariffs.py", "-pyarch", "data.zip#data", *options, "job.py",
    )  # fmt: skip


def test_a_job_finds_what_it_brings_on_each_machine(runs: Runs, cluster: Cluster, wheels: Wheels) -> None:
    requirements = wheels.requirements(runs.folder, "greeting==2.0")
    out = start(runs, cluster, "-p", 2, "-pyreq", f"{requirements}#{wheels.folder}").succeed(limit_s=300)
    for number in range(1, 7):
        assert f"('2.0', {70 * number}, 'a model')" in out
    places = {line.partition("from ")[2] for line in out.splitlines() if "from " in line}
    assert len(places) == 2, f"each worker has a folder of its own: {places}"
    assert all("/work-" in place for place in places)


def test_what_cannot_be_made_there_is_told_here(runs: Runs, cluster: Cluster, wheels: Wheels) -> None:
    requirements = wheels.requirements(runs.folder, "greeting==2.0")
    blocked = Path(runs.folder, "a-file")
    blocked.write_text("")
    run = start(
        runs, cluster, "-p", 2, "-pyreq", f"{requirements}#{wheels.folder}",
        "-D", f"spark.executorEnv.DATASTREAM_ENVIRONMENTS={blocked}",
    )  # fmt: skip
    assert run.wait(limit_s=300) == 2, run.told()
    assert f"environments of Python are kept in {blocked}, and nothing can be written there" in run.err


def test_containers_are_refused(runs: Runs, cluster: Cluster) -> None:
    run = start(runs, cluster, "-py-env", "docker", "-py-docker-image", "no-such-image")
    assert run.wait(limit_s=300) == 2, run.told()
    assert "leave out --py-env docker, or --master" in run.err
