"""Drivers in pods of a real cluster: that of KUBECONFIG, with the image of the drivers on its nodes."""

from __future__ import annotations

import dataclasses
import json
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lightkube.resources.core_v1 import Node, Pod, Secret

from datastream.errors import ValidationError
from datastream.services.gateway.launchers.kubernetes import KubernetesLauncher, state_of
from datastream.services.gateway.launchers.kubernetes_settings import KubernetesSettings
from datastream.services.gateway.launchers.launcher import Absent, Alive, Ended, EngineAway, Launch
from datastream.services.gateway.launchers.pods import object_name, pod_of, secret_of
from datastream.services.gateway.launchers.refusal import LaunchRefused
from datastream.services.runner.settings_file import read_text
from tests.services.gateway.docker_drivers import (
    ENDLESS,
    GREEDY,
    IMAGE,
    WORDS,
    launch_of,
    until_committed,
    until_ended,
)
from tests.support.kubernetes import TestNamespace, namespace
from tests.support.waiting import wait_until

Launches = Callable[..., Launch]


@pytest.fixture(scope="module")
def cluster() -> Iterator[TestNamespace]:
    with namespace("launcher") as found:
        yield found


@pytest.fixture
def launchers(cluster: TestNamespace) -> Iterator[Callable[..., KubernetesLauncher]]:
    made: list[KubernetesLauncher] = []

    def make(**settings: Any) -> KubernetesLauncher:
        given = {
            "namespace": cluster.name,
            "image": IMAGE if ":" in IMAGE else f"{IMAGE}:latest",
            "pull": "Never",
            "claim": "jobs",
            "cpus": "100m",
        }
        made.append(KubernetesLauncher(KubernetesSettings(**{**given, **settings})))
        return made[-1]

    yield make
    for launcher in made:
        launcher.close()


@pytest.fixture
def launches(launchers: Any, tmp_path: Path) -> Iterator[Launches]:
    jobs: set[str] = set()

    def make(*args: Any, **settings: Any) -> Launch:
        launch = launch_of(tmp_path, *args, **settings)
        jobs.add(launch.job)
        return launch

    yield make
    for job in jobs:
        launchers().forget(job, tmp_path / job)


def on_spark(launcher: KubernetesLauncher, job: str) -> dict[str, Any]:
    return {"executor": "spark", "checkpoint-dir": launcher.checkpoint_dir(Path(job))}


def test_a_job_on_spark_runs_to_its_end(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    assert launcher.availability() is None
    launch = launches(WORDS, "to", "be", "--or", "be", name="my job (1) é.py", executor="spark")
    assert launcher.state(launch) == Absent()
    launcher.start(launch)
    launcher.start(launch)
    assert isinstance(launcher.state(launch), Alive)
    assert until_ended(launcher, launch) == Ended(0, None)
    lines = list(launcher.lines(launch, None, None))
    assert [line for line in lines if line.startswith("(")] == ["('to', 1)", "('be', 1)", "('--or', 1)", "('be', 2)"]
    assert json.loads(lines[-1])["event"] == "exit"
    assert list(launcher.lines(launch, 1, None)) == lines[-1:]


def test_the_next_attempt_continues_on_the_checkpoint(launchers: Any, launches: Launches) -> None:
    launcher = launchers()
    job = uuid.uuid4().hex
    first = launches(ENDLESS, job=job, **on_spark(launcher, job))
    launcher.start(first)
    until_committed(launcher, first)
    launcher.kill(first)
    assert until_ended(launcher, first) == Ended(None, "the pod was killed")
    assert "number 0" in list(launcher.lines(first, None, None))
    second = launches(ENDLESS, job=job, attempt=2, **on_spark(launcher, job))
    launcher.start(second)
    wait_until(lambda: any(line.startswith("number ") for line in launcher.lines(second, None, None)), "output")
    assert "number 0" not in list(launcher.lines(second, None, None))
    launcher.kill(second)


def test_another_gateway_finds_and_follows_the_driver(launchers: Any, launches: Launches) -> None:
    launch = launches(ENDLESS)
    launchers().start(launch)
    launcher = launchers()
    seen = []
    for line in launcher.lines(launch, None, lambda: "number 5" not in seen):
        seen.append(line)
    state = launcher.state(launch)
    assert isinstance(state, Alive) and state.url is not None
    with urllib.request.urlopen(state.url + "/", timeout=10) as answer:
        assert "endless" in json.dumps(json.load(answer))
    followed = launcher.lines(launch, 2, lambda: True)
    assert next(followed) != ""
    followed.close()
    launcher.kill(launch)
    until_ended(launcher, launch)
    launcher.kill(launch)
    launcher.start(launch)
    assert isinstance(launcher.state(launch), Ended)


def test_what_is_left_of_a_driver_is_removed(launchers: Any, launches: Launches, cluster: TestNamespace) -> None:
    launcher = launchers()
    launch = launches("raise SystemExit(7)")
    launcher.start(launch)
    assert until_ended(launcher, launch) == Ended(7, None)
    before = list(launcher.lines(launch, None, None))
    launcher.remove(launch)
    wait_until(lambda: not list(cluster.api.list(Pod, labels={"datastream/job": launch.job})), "end")
    assert not list(cluster.api.list(Secret, labels={"datastream/job": launch.job}))
    launcher.remove(launch)
    assert launcher.state(launch) == Ended(7, None)
    assert list(launcher.lines(launch, None, None)) == before


def test_out_of_memory_is_told(launchers: Any, launches: Launches) -> None:
    launcher = launchers(memory="300Mi")
    launch = launches(GREEDY)
    launcher.start(launch)
    ended = until_ended(launcher, launch)
    assert ended.reason is not None and ended.reason.startswith("out of memory")


def test_an_image_that_is_missing_is_named(launchers: Any, launches: Launches) -> None:
    launcher = launchers(image="datastream-no-such-image:1")
    launch = launches(WORDS)
    launcher.start(launch)
    ended = until_ended(launcher, launch)
    assert ended.code == 2 and ended.reason is not None and "datastream-no-such-image" in ended.reason


def test_a_namespace_or_claim_that_is_missing_is_named(launchers: Any, launches: Launches) -> None:
    assert "no-such-claim" in launchers(claim="no-such-claim").availability()
    launcher = launchers(namespace="no-such-namespace")
    with pytest.raises(LaunchRefused, match="no-such-namespace"):
        launcher.start(launches(WORDS))


def test_a_large_artifact_is_fetched(launchers: Any, launches: Launches, cluster: TestNamespace) -> None:
    """The server stands for the gateway: it shows what the pod asks for, and with which token."""
    import http.server
    import threading

    asked = []

    class Artifacts(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(launch.artifact.read_bytes())

        def log_message(self, *args: Any) -> None:
            pass

    node = next(iter(cluster.api.list(Node))).status.addresses[0].address
    with http.server.ThreadingHTTPServer(("0.0.0.0", 0), Artifacts) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = launchers(gateway_url=f"http://{node}:{server.server_port}/")._settings
        launcher = KubernetesLauncher(settings, lambda name, artifact: f"token of {name} for {artifact}")
        launch = launches(WORDS + "#" * (1 << 20), "be")
        launcher.start(launch)
        assert until_ended(launcher, launch) == Ended(0, None)
        server.shutdown()
        launcher.close()
    path = f"/artifacts/{launch.artifact.parent.name}/content"
    assert asked == [(path, f"Bearer token of {object_name(launch)} for {launch.artifact.parent.name}")]


# -- Without a cluster ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("known", [True, False])
def test_a_cluster_that_is_away(known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    file = tmp_path / "kubeconfig"
    if known:
        about = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
            "users": [{"name": "u", "user": {}}],
        }
        file.write_text(json.dumps(about))
    monkeypatch.setenv("KUBECONFIG", str(file))
    launch = launch_of(tmp_path, WORDS)
    launcher = KubernetesLauncher(KubernetesSettings(claim="jobs"))
    assert ("does not answer" if known else "no Kubernetes cluster is known") in str(launcher.availability())
    calls: list[Callable[[], Any]] = [
        lambda: launcher.start(launch),
        lambda: launcher.state(launch),
        lambda: launcher.kill(launch),
        lambda: launcher.remove(launch),
        lambda: launcher.forget(launch.job, launch.folder),
        lambda: list(launcher.lines(launch, None, None)),
    ]
    for call in calls:
        with pytest.raises(EngineAway):
            call()
    launcher.close()


def test_checkpoints_need_a_place() -> None:
    assert "DATASTREAM_GATEWAY_KUBERNETES_CLAIM" in str(KubernetesLauncher(KubernetesSettings()).availability())
    launcher = KubernetesLauncher(KubernetesSettings(checkpoints="s3a://bucket/jobs"))
    assert launcher.checkpoint_dir(Path("/data/jobs/abc")) == "s3a://bucket/jobs/abc/checkpoint"
    assert launcher.savepoint_dir("abc", Path("/data/jobs/abc")) == "s3a://bucket/jobs/savepoints/abc"


def test_a_template_keeps_what_a_driver_does_not_need(tmp_path: Path) -> None:
    template = tmp_path / "pod.yaml"
    template.write_text(
        "metadata: {labels: {team: orders}}\n"
        "spec:\n"
        "  nodeSelector: {disk: ssd}\n"
        "  restartPolicy: Always\n"
        "  containers: [{name: driver, env: [{name: A, value: b}]}, {name: other, image: other}]\n"
        "  volumes: [{name: data, emptyDir: {}}]\n"
    )
    launch = launch_of(tmp_path, WORDS)
    pod = pod_of(launch, KubernetesSettings(template=str(template)))
    assert pod["metadata"]["labels"]["team"] == "orders" and pod["metadata"]["labels"]["datastream/job"] == launch.job
    assert pod["spec"]["nodeSelector"] == {"disk": "ssd"} and pod["spec"]["restartPolicy"] == "Never"
    assert [one["name"] for one in pod["spec"]["containers"]] == ["driver", "other"]
    assert [one["name"] for one in pod["spec"]["containers"][0]["env"]] == [
        "A",
        "DATASTREAM_ADDRESS",
        "DATASTREAM_PORT",
    ]
    assert [one["name"] for one in pod["spec"]["volumes"]] == ["data", "job", "tmp"]
    template.write_text("[]")
    with pytest.raises(ValidationError, match="expected a pod"):
        pod_of(launch, KubernetesSettings(template=str(template)))


def test_secrets_are_in_the_secret_alone(tmp_path: Path) -> None:
    launch = launch_of(tmp_path, WORDS, properties={"a.password": "pw"})
    assert launch.control_token not in json.dumps(pod_of(launch, KubernetesSettings()))
    assert set(secret_of(launch, KubernetesSettings(), None)["data"]) == {"runner.json", "artifact"}
    assert set(secret_of(launch, KubernetesSettings(), "t")["data"]) == {"runner.json", "token"}


def test_executors_of_spark_are_told_where_they_belong(tmp_path: Path) -> None:
    import base64

    settings = KubernetesSettings(
        master="k8s://https://kubernetes.default.svc", service_account="spark", claim="jobs", executor_image="spark:1"
    )
    launch = launch_of(tmp_path, WORDS, properties={"spark.executor.instances": "3"})
    found = json.loads(base64.b64decode(secret_of(launch, settings, None)["data"]["runner.json"]))
    assert found["master"] == "k8s://https://kubernetes.default.svc"
    assert found["properties"]["spark.executor.instances"] == "3"
    assert found["properties"]["spark.kubernetes.container.image"] == "spark:1"
    pod = pod_of(launch, settings)["spec"]
    assert pod["serviceAccountName"] == "spark" and pod["automountServiceAccountToken"]
    own = launch_of(tmp_path, WORDS, master="local[2]")
    assert json.loads(base64.b64decode(secret_of(own, settings, None)["data"]["runner.json"]))["master"] == "local[2]"


def test_characters_beyond_16_bits_arrive(tmp_path: Path) -> None:
    import base64

    launch = launch_of(tmp_path, WORDS, "😀", name="smile-😀.py", properties={"spark.a": "\U0010ffff\x7f"})
    text = base64.b64decode(secret_of(launch, KubernetesSettings(), None)["data"]["runner.json"]).decode()
    layer = read_text(text, "runner.json")
    assert layer.settings["args"].value == ["😀"] and layer.properties["spark.a"].value == "\U0010ffff\x7f"
    assert layer.settings["script"].value.endswith("/smile-😀.py")


def test_executors_have_the_labels_and_pull_secrets_of_drivers(tmp_path: Path) -> None:
    import base64

    template = tmp_path / "driver.yaml"
    template.write_text("spec: {imagePullSecrets: [{name: registry}, {name: mirror}]}")
    settings = KubernetesSettings(master="k8s://https://kubernetes.default.svc", gateway="g", template=str(template))
    launch = launch_of(tmp_path, WORDS)
    found = json.loads(base64.b64decode(secret_of(launch, settings, None)["data"]["runner.json"]))["properties"]
    assert found["spark.kubernetes.container.image.pullSecrets"] == "registry,mirror"
    labels = pod_of(launch, settings)["metadata"]["labels"]
    for key in ("app.kubernetes.io/managed-by", "datastream/gateway"):
        assert found[f"spark.kubernetes.executor.label.{key}"] == labels[key]


def test_sizes_are_those_of_kubernetes() -> None:
    assert KubernetesSettings(memory="2147483648", tmp="512Ki", cpus="500m").tmp == "512Ki"
    with pytest.raises(ValidationError, match="MEMORY: expected a size such as 2Gi, got '2ki'"):
        KubernetesSettings(memory="2ki")


def test_states_of_pods() -> None:
    def pod(phase: str, **status: Any) -> dict[str, Any]:
        container = {"name": "driver", "resources": {"limits": {"memory": "2Gi"}}}
        return {"spec": {"containers": [container]}, "status": {"phase": phase, **status}}

    def driver(**state: Any) -> list[dict[str, Any]]:
        return [{"name": "driver", "state": state}]

    assert state_of(pod("Pending")) == Alive(None)
    assert state_of(pod("Running", podIP="10.0.0.7")) == Alive("http://10.0.0.7:9249")
    assert state_of(pod("Running", podIP="fd00::7")) == Alive("http://[fd00::7]:9249")
    assert state_of(pod("Failed", reason="Evicted", message="low on memory")) == Ended(None, "Evicted: low on memory")
    assert state_of(pod("Failed", containerStatuses=driver(terminated={"exitCode": 3}))) == Ended(3, None)
    killed = driver(terminated={"exitCode": 137, "reason": "OOMKilled"})
    assert "at its limit of 2Gi; raise DATASTREAM" in str(state_of(pod("Failed", containerStatuses=killed)))
    secret = driver(waiting={"reason": "CreateContainerConfigError", "message": 'secret "db" not found'})
    assert state_of(pod("Pending", containerStatuses=secret)) == Ended(
        2, 'the pod cannot start: CreateContainerConfigError: secret "db" not found'
    )
    unbound = {
        "type": "PodScheduled",
        "status": "False",
        "message": '0/1: persistentvolumeclaim "a" not found',
    }
    assert state_of(pod("Pending", conditions=[unbound])) == Ended(
        2, 'the pod cannot start: persistentvolumeclaim "a" not found'
    )
    busy = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes: Insufficient cpu"}
    assert state_of(pod("Pending", conditions=[busy])) == Alive(None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"memory": "much"}, "MEMORY: expected a size"),
        ({"user": "0"}, "USER: expected a number"),
        ({"claim": "a", "checkpoints": "b"}, "give one of them"),
    ],
)
def test_wrong_settings_are_named(given: dict[str, str], expected: str) -> None:
    with pytest.raises(ValidationError, match=expected):
        KubernetesSettings(**given)


def test_a_large_artifact_needs_the_gateways_url(tmp_path: Path) -> None:
    launch = launch_of(tmp_path, "#" * (1 << 20))
    with pytest.raises(ValidationError, match="GATEWAY_URL"):
        pod_of(launch, dataclasses.replace(KubernetesSettings(), gateway_url=None))
