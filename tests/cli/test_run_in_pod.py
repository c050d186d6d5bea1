"""``datastream run --master k8s://...``: what it creates, what it refuses, and how it follows a pod."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from datastream.cli import run_in_pod
from datastream.cli.run_in_pod import Submission, runs_in_pod, submission
from datastream.config.settings import Settings
from datastream.errors import ValidationError
from datastream.kubernetes.cluster import Cluster, ClusterAway, ClusterRefused
from datastream.kubernetes.spark_settings import server_of

IMAGE = "spark.kubernetes.container.image"
CLAIM = "spark.kubernetes.driver.volumes.persistentVolumeClaim.checkpoints"
MOUNTED = {f"{CLAIM}.options.claimName": "jobs", f"{CLAIM}.mount.path": "/checkpoints"}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    found = tmp_path / "orders.py"
    found.write_text("print('orders')\n")
    return found


def settings(properties: dict[str, str] | None = None, checkpoint_dir: str | None = "/checkpoints/a") -> Settings:
    given = Settings()
    given.master, given.checkpoint_dir = "k8s://https://cluster:6443", checkpoint_dir
    given.properties.update({IMAGE: "jobs:1", **MOUNTED} if properties is None else {IMAGE: "jobs:1", **properties})
    return given


def runner_settings(made: Submission) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.secret["runner.json"])
    return found


def test_the_driver_is_a_pod_unless_it_is_to_be_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert runs_in_pod(settings())
    assert not runs_in_pod(settings({"spark.submit.deployMode": "client"}))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    assert not runs_in_pod(settings())


def test_a_driver_has_what_the_settings_name(script: Path) -> None:
    own = {
        **MOUNTED,
        f"{IMAGE}.pullPolicy": "Always",
        f"{IMAGE}.pullSecrets": "registry",
        "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
        "spark.kubernetes.driver.label.team": "orders",
        "spark.kubernetes.driver.annotation.note": "x",
        "spark.kubernetes.node.selector.disk": "ssd",
        "spark.kubernetes.driver.limit.cores": "2",
        "spark.kubernetes.driver.secretKeyRef.PASSWORD": "db:password",
        "spark.kubernetes.driverEnv.REGION": "eu",
        "spark.driver.memory": "4g",
    }
    made = submission(settings(own), script, ("a", "b"))
    pod, (driver,) = made.pod, made.pod["spec"]["containers"]
    assert pod["metadata"]["labels"]["team"] == "orders" and pod["metadata"]["annotations"] == {"note": "x"}
    assert pod["spec"]["nodeSelector"] == {"disk": "ssd"} and pod["spec"]["serviceAccountName"] == "spark"
    assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}]
    assert driver["image"] == "jobs:1" and driver["imagePullPolicy"] == "Always"
    assert driver["resources"]["limits"] == {"memory": "5734Mi", "cpu": "2"}
    assert {"name": "checkpoints", "mountPath": "/checkpoints"} in driver["volumeMounts"]
    assert {"name": "REGION", "value": "eu"} in driver["env"]
    reference = {"secretKeyRef": {"name": "db", "key": "password"}}
    assert {"name": "PASSWORD", "valueFrom": reference} in driver["env"]
    assert pod["metadata"]["name"].startswith("orders-") and pod["metadata"]["name"].endswith("-driver")
    found = runner_settings(made)
    assert found["args"] == ["a", "b"] and found["master"] == "k8s://https://kubernetes.default.svc"
    assert found["properties"]["spark.executor.instances"] == "2"
    volume = "spark.kubernetes.executor.volumes.persistentVolumeClaim.checkpoints"
    assert found["properties"][f"{volume}.options.claimName"] == "jobs"


def test_a_driver_without_executors_needs_no_rights(script: Path) -> None:
    made = submission(settings({"spark.executor.instances": "0"}, None), script, ())
    assert not made.pod["spec"]["automountServiceAccountToken"]
    assert runner_settings(made)["master"] == "local[*]"


def test_the_secret_goes_with_its_pod(script: Path) -> None:
    made = submission(settings(), script, ())
    secret = made.driver.secret(made.secret, {"metadata": {"uid": "1-2"}})
    (owner,) = secret["metadata"]["ownerReferences"]
    assert owner["uid"] == "1-2" and owner["name"] == made.pod["metadata"]["name"]
    assert base64.b64decode(secret["data"]["artifact"]) == script.read_bytes()


def test_modules_beside_the_script_travel(script: Path) -> None:
    folder = script.parent
    script.write_text("import parts.prices\nfrom taxes import rate\nimport json\n")
    (folder / "parts").mkdir()
    (folder / "parts" / "prices.py").write_text("def f():\n    import rounding\n")
    (folder / "taxes.py").write_text("rate = 1\n")
    (folder / "rounding.py").write_text("")
    (folder / "other.py").write_text("")
    made = submission(settings(), script, ())
    found = runner_settings(made)
    assert found["module"] == "orders" and found["archive"].endswith("/orders.zip")
    names = zipfile.ZipFile(BytesIO(made.secret["artifact"])).namelist()
    assert sorted(names) == ["orders.py", "parts/prices.py", "rounding.py", "taxes.py"]
    with pytest.raises(ValidationError, match="give it the name of a module"):
        submission(settings(), script.rename(folder / "my-orders.py"), ())


def test_templates(script: Path, tmp_path: Path) -> None:
    driver, executor = tmp_path / "driver.yaml", tmp_path / "executor.yaml"
    driver.write_text("spec: {tolerations: [{key: spot}], volumes: [{name: d, emptyDir: {}}]}")
    executor.write_text("spec: {priorityClassName: high}")
    keys = {
        f"spark.kubernetes.{kind}.podTemplateFile": str(tmp_path / f"{kind}.yaml") for kind in ("driver", "executor")
    }
    made = submission(settings({**MOUNTED, **keys}), script, ())
    assert made.pod["spec"]["tolerations"] == [{"key": "spot"}]
    place = runner_settings(made)["properties"]["spark.kubernetes.executor.podTemplateFile"]
    assert place == "/etc/datastream/job/executor.yaml" and made.secret["executor.yaml"] == executor.read_bytes()


@pytest.mark.parametrize(
    ("properties", "checkpoint_dir", "expected"),
    [
        ({IMAGE: ""}, None, "no image for the pods"),
        ({}, None, "executors need a checkpoint directory"),
        ({}, "/tmp/here", "--checkpoint-dir /tmp/here: it would be lost with the driver's pod: mount a claim"),
        ({"spark.executor.instances": "many"}, "s3a://a/b", "spark.executor.instances: expected a number"),
        ({"spark.driver.memory": "much"}, "s3a://a/b", "spark.driver.memory: expected a size"),
        ({f"{CLAIM}.options.claimName": "jobs"}, "s3a://a/b", "mount.path is missing"),
        ({f"{CLAIM}.mount.path": "/c"}, "/c/a", "name a claim that is there"),
        ({"spark.kubernetes.driver.secretKeyRef.A": "db"}, "s3a://a/b", "expected SECRET:KEY"),
    ],
)
def test_what_pods_cannot_do_is_refused(
    script: Path, properties: dict[str, str], checkpoint_dir: str | None, expected: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        submission(settings(properties, checkpoint_dir), script, ())
    assert expected in str(caught.value)


def test_a_script_that_is_too_large_is_refused(script: Path) -> None:
    script.write_bytes(b"#" * (1 << 20))
    with pytest.raises(ValidationError, match="put them into the image"):
        submission(settings(), script, ())


def test_files_that_a_job_brings_travel_in_the_secret(script: Path, tmp_path: Path) -> None:
    (tmp_path / "tariffs.py").write_text("PRICE = 7\n")
    (tmp_path / "requirements.txt").write_text("greeting\n")
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "greeting-1.0-py3-none-any.whl").write_text("a wheel")
    (tmp_path / "data.zip").write_text("an archive")
    (tmp_path / "model.txt").write_text("a model")
    given = {
        "python.files": f"{tmp_path}/tariffs.py,s3://bucket/b.py,/opt/of-the-image.py",
        "python.requirements": f"{tmp_path}/requirements.txt#{tmp_path}/wheels",
        "python.archives": f"{tmp_path}/data.zip#data",
        "pipeline.cached-files": f"name:m,path:{tmp_path}/model.txt,executable:true",
    }
    made = submission(settings({**MOUNTED, **given}), script, ())
    moved = runner_settings(made)["properties"]
    (volume,) = (one for one in made.pod["spec"]["volumes"] if one["name"] == "job")
    keys = {f"/etc/datastream/job/{item['path']}": item["key"] for item in volume["secret"]["items"]}

    def content(path: str) -> str:
        return made.secret[keys[path]].decode()

    tariffs, *others = moved["python.files"].split(",")
    assert content(tariffs) == "PRICE = 7\n" and tariffs.endswith("/tariffs.py")
    assert others == ["s3://bucket/b.py", "/opt/of-the-image.py"]
    requirements, _, wheels = moved["python.requirements"].partition("#")
    assert content(requirements) == "greeting\n"
    assert content(f"{wheels}/greeting-1.0-py3-none-any.whl") == "a wheel"
    archive, _, target = moved["python.archives"].partition("#")
    assert (content(archive), target) == ("an archive", "data")
    name, path, run = moved["pipeline.cached-files"].split(",")
    assert (name, content(path.removeprefix("path:")), run) == ("name:m", "a model", "executable:true")
    with pytest.raises(ValidationError, match="python.files: nothing.py does not exist"):
        submission(settings({**MOUNTED, "python.files": "nothing.py"}), script, ())


# -- Clusters ---------------------------------------------------------------------------------------------------------
def test_the_context_is_that_of_the_masters_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kubeconfig"
    names = {"a": "https://a:6443", "b": "https://b:6443/"}
    about = {
        "current-context": "a",
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": "u", "namespace": f"of-{name}"}} for name in names
        ],
        "clusters": [{"name": name, "cluster": {"server": server}} for name, server in names.items()],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    file.write_text(json.dumps(about))
    monkeypatch.setenv("KUBECONFIG", str(file))
    assert Cluster(server=server_of("k8s://https://b:6443")).namespace == "of-b"
    assert Cluster(server=server_of("k8s://a:6443/")).namespace == "of-a"
    assert Cluster("own", "b").namespace == "own"
    with pytest.raises(ClusterAway, match="no context of https://c; it has a"):
        Cluster(server="https://c").pod("x")


# -- Following a pod -------------------------------------------------------------------------------------------------
class Stream:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        yield from (f"{line}\n".encode() for line in self._lines)

    def close(self) -> None:
        pass


class FakeCluster:
    """Stands for a namespace: gives one state of the pod after the other, and one part of the log for each look."""

    namespace = "jobs"

    def __init__(self, pods: list[dict[str, Any] | None], logs: list[list[str]]) -> None:
        self.pods, self.logs = pods, logs
        self.deleted: list[tuple[str, int]] = []
        self.secrets: list[dict[str, Any]] = []
        self.refusal: ClusterRefused | None = None

    def create_pod(self, pod: dict[str, Any]) -> dict[str, Any]:
        if self.refusal is not None:
            raise self.refusal
        return {"metadata": {"uid": "1"}}

    def put_secret(self, secret: dict[str, Any]) -> None:
        self.secrets.append(secret)

    def pod(self, name: str) -> dict[str, Any] | None:
        return self.pods.pop(0) if len(self.pods) > 1 else self.pods[0]

    def warnings(self, pod: str) -> list[str]:
        return ["FailedMount: no such volume"]

    def log(self, *args: Any, **options: Any) -> Stream:
        return Stream(self.logs.pop(0) if self.logs else [])

    def delete_pod(self, name: str, grace_s: int) -> None:
        self.deleted.append((name, grace_s))

    def close(self) -> None:
        pass


def pod(phase: str, code: int | None = None, **status: Any) -> dict[str, Any]:
    state = {} if code is None else {"state": {"terminated": {"exitCode": code}}}
    return {"status": {"phase": phase, "containerStatuses": [{"name": "driver", **state}], **status}}


def run(monkeypatch: pytest.MonkeyPatch, script: Path, cluster: FakeCluster, detached: bool = False) -> int:
    monkeypatch.setattr(run_in_pod, "Cluster", lambda *_: cluster)
    monkeypatch.setattr(run_in_pod, "_LOOK_S", 0)
    return run_in_pod.run_in_pod(settings(), script, (), "console", detached)


def line(second: int, text: str) -> str:
    return f"2026-01-01T00:00:{second:02}.000000000Z {text}"


def test_the_log_is_shown_once_and_the_exit_code_is_the_drivers(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logged = json.dumps({"timestamp": "2026-01-01T00:00:03Z", "level": "error", "event": "failed"})
    cluster = FakeCluster(
        [pod("Pending"), pod("Running"), pod("Running"), pod("Failed", 3)],
        [[line(1, "one"), line(2, "two")], [line(2, "two"), line(3, logged)], [line(2, "two"), line(3, logged)]],
    )
    assert run(monkeypatch, script, cluster) == 3
    said = capsys.readouterr()
    assert said.out == "one\ntwo\n" and said.err.count("failed") == 1
    assert cluster.deleted == [(cluster.secrets[0]["metadata"]["name"], 1)]


def test_a_pod_that_cannot_start_is_deleted_and_the_reason_told(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unbound = {"type": "PodScheduled", "status": "False", "message": 'persistentvolumeclaim "jobs" not found'}
    cluster = FakeCluster([pod("Pending", conditions=[unbound])], [])
    assert run(monkeypatch, script, cluster) == 2
    assert 'the pod cannot start: persistentvolumeclaim "jobs" not found' in capsys.readouterr().err
    assert len(cluster.deleted) == 1


def test_a_refusal_is_told(script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster([None], [])
    cluster.refusal = ClusterRefused(403, "pods is forbidden: exceeded quota: small")
    assert run(monkeypatch, script, cluster) == 1
    assert "exceeded quota: small" in capsys.readouterr().err and not cluster.deleted


def test_a_detached_driver_stays(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = FakeCluster([pod("Pending")], [])
    assert run(monkeypatch, script, cluster, detached=True) == 0
    assert "kubectl -n jobs logs -f" in capsys.readouterr().err and not cluster.deleted


def test_ctrl_c_ends_the_driver_in_peace(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = FakeCluster([pod("Running"), pod("Running"), None], [])
    looks = iter([True])

    def log(*args: Any, **options: Any) -> Stream:
        if next(looks, False):
            raise KeyboardInterrupt
        return Stream([line(5, "last words")])

    monkeypatch.setattr(cluster, "log", log)
    assert run(monkeypatch, script, cluster) == 130
    assert [grace for _, grace in cluster.deleted] == [30, 1] and "last words" in capsys.readouterr().out
