"""``datastream run --master k8s://...`` on a real cluster: that of KUBECONFIG, which has the image of the drivers."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lightkube.resources.core_v1 import Pod, Secret

from tests.support.kubernetes import DRIVER_VERBS, TestNamespace, namespace
from tests.support.offline import Wheels
from tests.support.waiting import wait_until

IMAGE = os.environ.get("DATASTREAM_TEST_IMAGE", "datastream:latest")
COUNT = 1500
SUMS = """
import sys
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource
from adding import add, first
env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(lambda number: number, int(sys.argv[1]), rate_per_second=50)
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
sums = numbers.map(first).key_by(lambda found: found[0]).reduce(add)
sums.map(str).sink_to(FileSink.for_row_format(sys.argv[2], Encoder.simple_string_encoder()).build())
print("the job begins")
env.execute("sums")
"""
#: Also where the script runs, the packages are there.
BRINGING = """
import sys
import greeting, prices
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
env = StreamExecutionEnvironment.get_execution_environment()

def price(number):
    with open("data/factor.txt") as factor:
        return greeting.VERSION, prices.PRICE * int(factor.read())

found = env.from_sequence(1, 6).map(price).key_by(lambda p: p[0]).map(str)
found.sink_to(FileSink.for_row_format(sys.argv[2], Encoder.simple_string_encoder()).build())
env.execute("prices")
"""
ADDING = """
def first(number):
    return number % 7, 1, number
def add(a, b):
    return a[0], a[1] + b[1], a[2] + b[2]
"""
#: Start one more executor beside that of a pod, which shows the driver no secret, or a wrong one.
_EXECUTOR = "SPARK_EXECUTOR_ID=99 SPARK_EXECUTOR_MEMORY=128m python -P -m datastream.services.runner executor"
_WITHOUT_SECRET = f"""
unset _SPARK_AUTH_SECRET $(env | sed -n 's/^\\(SPARK_JAVA_OPT_[0-9]*\\)=-Dspark.authenticate=.*/\\1/p')
exec env {_EXECUTOR}
"""
_WITH_A_WRONG_SECRET = f"exec env _SPARK_AUTH_SECRET=wrong {_EXECUTOR}"
Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[TestNamespace]:
    with namespace("run") as found:
        found.account("driver", DRIVER_VERBS)
        yield found


@pytest.fixture
def run(cluster: TestNamespace, tmp_path: Path) -> Run:
    """Starts the command with a job that writes to the folder ``out`` of the claim."""
    (tmp_path / "sums.py").write_text(SUMS)
    (tmp_path / "adding.py").write_text(ADDING)
    claim = "spark.kubernetes.driver.volumes.persistentVolumeClaim.checkpoints"

    def start(name: str, **changed: str) -> subprocess.Popen[str]:
        given = {
            "spark.kubernetes.namespace": cluster.name,
            "spark.kubernetes.container.image": IMAGE,
            "spark.kubernetes.container.image.pullPolicy": "Never",
            "spark.kubernetes.authenticate.driver.serviceAccountName": "driver",
            "spark.kubernetes.driver.request.cores": "500m",
            "spark.kubernetes.executor.request.cores": "250m",
            "spark.executor.memory": "512m",
            f"{claim}.options.claimName": "jobs",
            f"{claim}.mount.path": "/checkpoints",
            **{key.replace("__", "."): value for key, value in changed.items()},
        }
        options = [part for key, value in given.items() for part in ("-D", f"{key}={value}")]
        return subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-m",
                    "datastream.cli",
                    "run",
                    "--master",
                    f"k8s://{cluster.server}",
                    "-p",
                    "2",
                    "-v",
                ),
                *("--log-format", "json", "--checkpoint-dir", f"/checkpoints/{name}", *options),
                *(str(tmp_path / "sums.py"), str(COUNT), f"/checkpoints/{name}-out"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def results(folder: Path) -> list[Any]:
    return sorted(
        ast.literal_eval(line) for file in folder.glob("[0-9]*/part*") for line in file.read_text().splitlines()
    )


def expected() -> list[Any]:
    sums: dict[int, tuple[int, int]] = {}
    found = []
    for number in range(COUNT):
        count, total = sums.get(number % 7, (0, 0))
        sums[number % 7] = count + 1, total + number
        found.append((number % 7, count + 1, total + number))
    return sorted(found)


def wait_for_epoch(command: subprocess.Popen[str], epoch: int) -> None:
    assert command.stderr is not None
    assert any(f'"epoch": {epoch},' in line for line in command.stderr)


def wait_until_empty(cluster: TestNamespace) -> None:
    wait_until(lambda: not [*cluster.api.list(Pod), *cluster.api.list(Secret)], "empty namespace", every_s=0.5)


def test_an_executor_dies_and_results_are_exact(cluster: TestNamespace, run: Run) -> None:
    command = run("killed")
    wait_for_epoch(command, 1)
    executors = list(cluster.api.list(Pod, labels={"spark-role": "executor"}))
    assert len(executors) == 2 and executors[0].metadata is not None
    cluster.api.delete(Pod, str(executors[0].metadata.name), grace_period=0)
    out, _ = command.communicate()
    assert command.returncode == 0 and "the job begins" in out
    assert results(cluster.folder / "killed-out") == expected()
    wait_until_empty(cluster)


def test_who_has_not_the_jobs_secret_is_no_executor(cluster: TestNamespace, run: Run, tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(SUMS.replace("rate_per_second=50", "rate_per_second=1"))
    command = run("secret", spark__executor__memoryOverhead="1g")
    wait_for_epoch(command, 1)
    executor, *_ = cluster.api.list(Pod, labels={"spark-role": "executor"})
    assert executor.metadata is not None
    enter = ["kubectl", "-n", cluster.name, "exec", str(executor.metadata.name), "--", "sh", "-c"]
    for intruder, refusal in ((_WITHOUT_SECRET, "Expected SaslMessage"), (_WITH_A_WRONG_SECRET, "SaslException")):
        done = subprocess.run([*enter, intruder], capture_output=True, text=True, timeout=240)
        assert done.returncode != 0 and refusal in done.stdout + done.stderr
    assert command.poll() is None
    command.send_signal(signal.SIGINT)
    command.communicate()
    assert command.returncode == 130
    wait_until_empty(cluster)


def test_what_a_job_brings_is_in_its_pods(cluster: TestNamespace, run: Run, tmp_path: Path) -> None:
    wheels = Wheels(tmp_path / "wheels")
    (tmp_path / "requirements.txt").write_text("greeting==2.0\n")
    (tmp_path / "sums.py").write_text(BRINGING)
    (tmp_path / "prices.py").write_text("PRICE = 7\n")
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("factor.txt", "10")
    command = run(
        "brings",
        python__requirements=f"{tmp_path}/requirements.txt#{wheels.folder}",
        python__files=f"{tmp_path}/prices.py",
        python__archives=f"{tmp_path}/data.zip#data",
    )
    _, said = command.communicate()
    assert command.returncode == 0, said[-3000:]
    assert set(results(cluster.folder / "brings-out")) == {("2.0", 70)}
    wait_until_empty(cluster)


def test_ctrl_c_ends_the_job_and_the_next_run_continues(cluster: TestNamespace, run: Run) -> None:
    command = run("stopped")
    wait_for_epoch(command, 1)
    command.send_signal(signal.SIGINT)
    _, said = command.communicate()
    assert command.returncode == 130 and '"asked": true' in said
    wait_until_empty(cluster)
    assert len(results(cluster.folder / "stopped-out")) < COUNT
    again = run("stopped")
    again.communicate()
    assert again.returncode == 0
    assert results(cluster.folder / "stopped-out") == expected()


def test_a_driver_that_is_deleted_takes_its_executors_along(cluster: TestNamespace, run: Run) -> None:
    command = run("deleted")
    wait_for_epoch(command, 1)
    (driver,) = cluster.api.list(Pod, labels={"app.kubernetes.io/component": "driver"})
    assert driver.metadata is not None
    cluster.api.delete(Pod, str(driver.metadata.name))
    _, said = command.communicate()
    assert command.returncode == 1 and "the driver's pod was deleted" in said
    wait_until_empty(cluster)


@pytest.mark.parametrize(
    ("changed", "code", "reason"),
    [
        (
            {"spark__kubernetes__driver__volumes__persistentVolumeClaim__checkpoints__options__claimName": "none"},
            2,
            'persistentvolumeclaim \\"none\\" not found',
        ),
        ({"spark__kubernetes__container__image": "datastream-no-such-image:1"}, 2, "ErrImageNeverPull"),
        ({"spark__kubernetes__driver__secretKeyRef__PASSWORD": "db:password"}, 2, 'secret \\"db\\" not found'),
        ({"spark__kubernetes__authenticate__driver__serviceAccountName": "nobody"}, 1, 'serviceaccount \\"nobody\\"'),
        ({"spark__kubernetes__authenticate__driver__serviceAccountName": "default"}, 1, "cannot get resource"),
        ({"spark__driver__memory": "60m", "spark__driver__memoryOverhead": "20m"}, 1, "at its limit of 80Mi"),
    ],
)
def test_what_cannot_run_says_why(
    cluster: TestNamespace, run: Run, changed: dict[str, str], code: int, reason: str
) -> None:
    command = run("refused", **changed)
    _, said = command.communicate()
    assert (command.returncode, reason in said) == (code, True), said
    wait_until_empty(cluster)
