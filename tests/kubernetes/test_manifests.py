"""The chart and the manifests, without a cluster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import datastream
from datastream.services.gateway.launchers.external_drivers import read_external
from datastream.services.gateway.launchers.kubernetes_settings import PREFIX, KubernetesSettings
from datastream.services.runner.settings import resolve
from datastream.services.runner.settings_file import read_text
from tests.kubernetes.restricted import violations
from tests.kubernetes.schemas import CACHE, PATTERN, make_schemas

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm" / "datastream"
RULES = ROOT / "compose" / "prometheus" / "rules" / "datastream.yml"
VALUES = sorted((Path(__file__).parent / "manifests").glob("*.yaml"))
OVERLAYS = sorted(path.parent for path in (ROOT / "k8s").glob("overlays/*/kustomization.yaml"))
PATH = f"{CACHE / 'bin'}{os.pathsep}{os.environ['PATH']}"
#: The same as the safe loader, in C where it was built in.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Object = dict[str, Any]


def tool(name: str) -> str:
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"there is no {name}: scripts/kubernetes tools fetches it")
    return found


def run(name: str, *args: Any, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [tool(name), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, input=given, env={**os.environ, "PATH": PATH})


@cache
def template(*args: Any) -> str:
    """What the chart renders; the same with the same arguments."""
    done = run("helm", "template", "release", CHART, "--namespace", "jobs", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def overlay(folder: Path) -> str:
    done = run("kubectl", "kustomize", folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(text: str) -> list[Object]:
    return [one for one in yaml.load_all(text, LOADER) if one]


def one(found: list[Object], kind: str, name: str) -> Object:
    (match,) = [each for each in found if each["kind"] == kind and each["metadata"]["name"] == name]
    return match


def pods(found: list[Object]) -> Iterator[tuple[str, Object]]:
    """Name and pod (metadata and spec) of all that makes pods."""
    for each in found:
        name = f"{each['kind']} {each['metadata']['name']}"
        if each["kind"] == "Pod":
            yield name, each
        elif each["kind"] in ("Deployment", "Job", "StatefulSet"):
            yield name, each["spec"]["template"]
        elif each["kind"] == "ConfigMap" and "executor.yaml" in each["data"]:
            yield f"{name}, executors", yaml.safe_load(each["data"]["executor.yaml"])


def runner_settings(found: list[Object], name: str) -> Object:
    settings: Object = yaml.safe_load(one(found, "ConfigMap", name)["data"]["runner.yaml"])
    return settings


def variables(container: Mapping[str, Any]) -> dict[str, str]:
    return {each["name"]: each.get("value", "from elsewhere") for each in container["env"]}


RENDERED = [
    pytest.param(lambda: template(), id="default"),
    *(pytest.param(lambda file=file: template("-f", file), id=file.stem) for file in VALUES),
    *(pytest.param(lambda folder=folder: overlay(folder), id=f"overlay-{folder.name}") for folder in OVERLAYS),
]


# -- What is rendered -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("values", [None, *VALUES], ids=lambda path: path.stem if path else "default")
def test_helm_lint(values: Path | None) -> None:
    done = run("helm", "lint", "--strict", CHART, *(["-f", values] if values else []))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def schemas() -> Path:
    try:
        return make_schemas()
    except FileNotFoundError:
        pytest.skip("there is no Go, whose modules have the schemas of Kubernetes: scripts/kubernetes tools fetches it")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the schemas of Kubernetes cannot be fetched: {error.stderr or error.stdout}"[:300])


@pytest.mark.long
@pytest.mark.parametrize("rendered", RENDERED)
def test_kubeconform(rendered: Any, schemas: Path) -> None:
    done = run("kubeconform", "-strict", "-summary", "-schema-location", schemas / PATTERN, given=rendered())
    assert done.returncode == 0, done.stdout + done.stderr


def test_kubeconform_finds_a_misspelt_key(schemas: Path) -> None:
    wrong = template().replace("publishNotReadyAddresses", "x").replace("enableServiceLinks", "enableServicelinks")
    done = run("kubeconform", "-strict", "-schema-location", schemas / PATTERN, given=wrong)
    assert done.returncode == 1 and "enableServicelinks" in done.stdout


@pytest.mark.parametrize("rendered", RENDERED)
def test_pods_satisfy_the_restricted_profile(rendered: Any) -> None:
    found = list(pods(objects(rendered())))
    assert found
    assert {name: wrong for name, pod in found if (wrong := list(violations(pod["spec"])))} == {}


@pytest.mark.parametrize("rendered", RENDERED)
def test_only_who_asks_the_api_has_a_token(rendered: Any) -> None:
    found = objects(rendered())
    bound = {one["subjects"][0]["name"] for one in found if one["kind"] == "RoleBinding"}
    for name, pod in pods(found):
        spec = pod["spec"]
        has_token = spec.get("automountServiceAccountToken", True)
        assert has_token == (spec.get("serviceAccountName") in bound), name


@pytest.mark.parametrize("rendered", RENDERED)
def test_services_and_policies_select_pods(rendered: Any) -> None:
    found = objects(rendered())
    labels = [pod["metadata"]["labels"].items() for _, pod in pods(found)]
    for each in found:
        selector = each.get("spec", {}).get("selector") if each["kind"] == "Service" else None
        if each["kind"] == "NetworkPolicy" and "datastream/gateway" not in str(each["spec"]["podSelector"]):
            selector = each["spec"]["podSelector"]["matchLabels"]
        if selector:
            assert sum(selector.items() <= one for one in labels) == 1, each["metadata"]["name"]


def test_a_job() -> None:
    found = objects(template("-f", VALUES[[file.stem for file in VALUES].index("flights")]))
    name = "release-datastream-flights"
    deployment = one(found, "Deployment", name)["spec"]
    assert deployment["replicas"] == 1 and deployment["strategy"] == {"type": "Recreate"}
    (container,) = deployment["template"]["spec"]["containers"]
    assert container["image"] == "datastream-flights:1"
    assert runner_settings(found, name) == {
        "script": "kafka_job.py",
        "args": ["--bootstrap-servers", "kafka:19092", "--no-live"],
        "name": "flights",
        "parallelism": 2,
        "master": "local[2]",
        "checkpoint-dir": "/checkpoints/flights",
        "standby": True,
        "grace": 25,
        "stuck-after": 600,
        "upgrade": "savepoint",
        "properties": {"datastream.epoch.max-records": "1000000", "spark.ui.enabled": "true"},
    }
    assert one(found, "PersistentVolumeClaim", name)["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    (token,) = [each for each in container["env"] if each["name"] == "DATASTREAM_CONTROL_TOKEN"]
    assert list(one(found, "Secret", token["valueFrom"]["secretKeyRef"]["name"])["data"]) == ["flights"]


def test_a_change_of_settings_replaces_the_pod_and_another_chart_does_not() -> None:
    def pod(*args: str) -> Any:
        found = objects(template("--set", "jobs.a.script=x", *args))
        return one(found, "Deployment", "release-datastream-a")["spec"]["template"]

    assert pod() == pod() != pod("--set", "jobs.a.parallelism=2")
    assert "0.1.0" not in str(pod()["metadata"])


def test_a_bounded_job() -> None:
    found = objects(template("-f", Path(__file__).parent / "manifests" / "bounded.yaml"))
    (job,) = [each for each in found if each["kind"] == "Job"]
    assert job["metadata"]["name"].startswith("release-datastream-daily-")
    assert job["spec"]["podReplacementPolicy"] == "Failed"
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    settings = runner_settings(found, "release-datastream-daily")
    assert settings["module"] == "reports.daily" and settings["grace"] == 55
    # `false` of a job counts over `true` of the defaults.
    assert "allow-non-restored-state" not in settings
    assert not [each for each in found if each["kind"] in ("Deployment", "PodDisruptionBudget")]


def test_another_bounded_job_is_another_object() -> None:
    """A Job's pod cannot be changed."""

    def name(*args: str) -> str:
        found = objects(template("--set", "jobs.a.script=x,jobs.a.bounded=true", *args))
        (job,) = [each for each in found if each["kind"] == "Job"]
        return str(job["metadata"]["name"])

    assert name() == name() != name("--set", "jobs.a.image.tag=b")


def test_executors() -> None:
    found = objects(template("-f", Path(__file__).parent / "manifests" / "executors.yaml"))
    settings = runner_settings(found, "release-datastream-orders")
    assert settings["master"] == "k8s://https://kubernetes.default.svc"
    properties = settings["properties"]
    assert properties["spark.executor.instances"] == "3" and properties["spark.executor.memory"] == "2g"
    budget = one(found, "PodDisruptionBudget", "release-datastream-orders-executors")
    assert budget["spec"]["minAvailable"] == 2
    rules = one(found, "Role", "release-datastream-orders")["rules"]
    assert {resource for rule in rules for resource in rule["resources"]} == {"pods"}
    executor = dict(pods(found))["ConfigMap release-datastream-orders, executors"]
    assert executor["spec"]["nodeSelector"] == {"pool": "streaming"}


def test_places_of_checkpoints() -> None:
    found = objects(template("-f", Path(__file__).parent / "manifests" / "everything.yaml"))
    assert runner_settings(found, "streams-orders")["checkpoint-dir"] == "s3a://bucket/checkpoints/orders"
    assert runner_settings(found, "streams-local")["checkpoint-dir"] == "/checkpoints/local"
    assert not [each for each in found if each["kind"] == "PersistentVolumeClaim"]


def test_tags_that_are_numbers() -> None:
    (pod,) = [pod for name, pod in pods(objects(template("--set", "image.tag=20240101"))) if name.startswith("Depl")]
    assert pod["spec"]["containers"][0]["image"] == "datastream:20240101"
    found = objects(template("--set", "jobs.a.script=x,image.tag=0", "--set-json", "jobs.a.image.tag=20240101"))
    images = {name: pod["spec"]["containers"][0]["image"] for name, pod in pods(found)}
    assert images["Deployment release-datastream-a"] == "datastream:20240101"
    assert images["Deployment release-datastream-gateway"] == "datastream:0"


@pytest.mark.parametrize(
    ("given", "image"),
    [
        ("jobs.a.cpu=1", f"datastream@sha256:{'0' * 64}"),
        ("jobs.a.image.tag=b", "datastream:b"),
        ("jobDefaults.image.tag=b", "datastream:b"),
        ("image.tag=b,jobs.a.image.repository=x", "x:b"),
        (f"jobs.a.image.repository=x,jobs.a.image.digest=sha256:{'1' * 64}", f"x@sha256:{'1' * 64}"),
        (f"jobDefaults.image.digest=sha256:{'1' * 64},jobs.a.image.tag=b", "datastream:b"),
    ],
)
def test_a_digest_counts_for_its_own_image(given: str, image: str) -> None:
    found = objects(template("--set", f"jobs.a.script=x,image.digest=sha256:{'0' * 64},{given}"))
    pod = one(found, "Deployment", "release-datastream-a")["spec"]["template"]
    assert pod["spec"]["containers"][0]["image"] == image


def test_what_a_disabled_job_leaves() -> None:
    given = "jobs.a.enabled=false,jobs.a.checkpoints.persistence.keep"
    found = objects(template("--set", f"{given}=false"))
    assert "annotations" not in one(found, "PersistentVolumeClaim", "release-datastream-a")["metadata"]
    assert list(one(found, "Secret", "release-datastream-control")["data"]) == ["a"]
    assert not [each for each in found if each["kind"] == "Service" and each["metadata"]["name"].endswith("-a")]
    # The annotation in the cluster keeps it.
    assert "release-datastream-a" not in template("--set", f"{given}=true")


def test_names_that_yaml_takes_for_something_else(schemas: Path) -> None:
    given = "jobs.true.script=x,jobs.null.script=y,jobs.null.bounded=true"
    done = run("helm", "template", "123", CHART, "--set-string", "control.existingSecret=12", "--set", given)
    assert done.returncode == 0, done.stderr
    assert {"true", "null"} <= {
        pod["metadata"]["labels"].get("datastream/job") for _, pod in pods(objects(done.stdout))
    }
    checked = run("kubeconform", "-strict", "-schema-location", schemas / PATTERN, given=done.stdout)
    assert checked.returncode == 0, checked.stdout
    for each in objects(done.stdout):
        assert each["metadata"]["labels"]["app.kubernetes.io/instance"] == "123"


def test_long_names() -> None:
    def found(name: str) -> list[Object]:
        job = "j" * 20
        given = f"fullnameOverride={name},jobs.{job}.script=x,jobs.{job}.bounded=true,gateway.enabled=false"
        return [each for each in objects(template("--set", given)) if each["kind"] == "Job"]

    names = {each["metadata"]["name"] for end in "ab" for each in found("n" * 45 + end)}
    assert len(names) == 2 and max(map(len, names)) <= 63
    whole = "n" * 40
    assert f"name: {whole}-gateway\n" in template("--set", f"fullnameOverride={whole}")


def test_sizes_are_text_and_the_users_variables_count() -> None:
    values = {"launcher": {"memory": 2147483648}, "env": [{"name": "DATASTREAM_GATEWAY_LAUNCHER", "value": "process"}]}
    job = {"script": "x", "env": [{"name": "DATASTREAM_CONTROL_TOKEN", "value": "mine"}]}
    given = ["--set-json", f"gateway={json.dumps(values)}", "--set-json", f"jobs.a={json.dumps(job)}"]
    found = dict(pods(objects(template(*given))))
    (gateway,) = found["Deployment release-datastream-gateway"]["spec"]["containers"]
    (driver,) = found["Deployment release-datastream-a"]["spec"]["containers"]
    assert variables(gateway)[f"{PREFIX}MEMORY"] == "2147483648"
    assert variables(gateway)["DATASTREAM_GATEWAY_LAUNCHER"] == "process"
    assert driver["env"] == job["env"]
    for container in (gateway, driver):
        assert len(variables(container)) == len(container["env"])


def test_who_reads_metrics_reaches_the_gateway() -> None:
    labels = "podSelector.matchLabels"
    given = f"networkPolicy.gatewayFrom[0].{labels}.a=b,networkPolicy.metricsFrom[0].{labels}.m=n"

    def peers(*args: str) -> Any:
        policy = one(objects(template("--set", given, *args)), "NetworkPolicy", "release-datastream-gateway")
        return policy["spec"]["ingress"][0]["from"]

    metrics = {"podSelector": {"matchLabels": {"m": "n"}}}
    assert metrics not in peers()
    assert metrics in peers("--set", "serviceMonitor.gatewayToken.existingSecret=x")


def test_the_policy_of_submitted_jobs_selects_executors() -> None:
    given = "gateway.launcher.executors.enabled=true,networkPolicy.egress.enabled=true"
    policy = one(objects(template("--set", given)), "NetworkPolicy", "release-datastream-gateway-jobs")["spec"]
    assert {"from": [{"podSelector": policy["podSelector"]}]} in policy["ingress"]
    assert {"to": [{"podSelector": policy["podSelector"]}]} in policy["egress"]
    assert "spark-role" not in str(policy)


def test_the_alerts_find_a_release_of_another_name() -> None:
    given = "nameOverride=streams,serviceMonitor.enabled=true,serviceMonitor.gatewayToken.existingSecret=x"
    monitors = [each for each in objects(template("--set", given)) if each["kind"] == "ServiceMonitor"]
    assert len(monitors) == 2
    for monitor in monitors:
        (endpoint,) = monitor["spec"]["endpoints"]
        assert endpoint["relabelings"] == [{"targetLabel": "job", "replacement": "datastream"}]


def test_alerts_are_those_of_compose() -> None:
    found = objects(template("--set", "prometheusRule.enabled=true"))
    assert one(found, "PrometheusRule", "release-datastream")["spec"] == yaml.safe_load(RULES.read_text())


# -- What the programs read -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rendered", RENDERED)
def test_the_runner_takes_its_settings(rendered: Any) -> None:
    for each in objects(rendered()):
        if each["kind"] == "ConfigMap" and "runner.yaml" in each["data"]:
            settings = yaml.safe_load(each["data"]["runner.yaml"])
            for file in ("script", "archive"):  # files of the image
                if file in settings:
                    settings[file] = __file__
            effective = resolve([read_text(yaml.safe_dump(settings), "runner.yaml")])
            assert effective.runner.standby and effective.runner.parallelism == settings["parallelism"]


@pytest.mark.parametrize("rendered", RENDERED)
def test_the_gateway_takes_its_settings(rendered: Any, tmp_path: Path) -> None:
    found = objects(rendered())
    gateways = [one for one in found if one["kind"] == "Deployment" and one["metadata"]["name"].endswith("-gateway")]
    for gateway in gateways:
        (container,) = gateway["spec"]["template"]["spec"]["containers"]
        given = {name: value for name, value in variables(container).items() if name.startswith(PREFIX)}
        KubernetesSettings.from_environment({**given, f"{PREFIX}NAMESPACE": "jobs"})
        jobs = yaml.safe_load(one(found, "ConfigMap", gateway["metadata"]["name"])["data"]["external.yaml"])
        for job in jobs.values():
            token = tmp_path / Path(job["control-token-file"]).name
            token.write_text("token")
            job["control-token-file"] = str(token)
            name, port = job["url"].removeprefix("http://").split(":")
            assert int(port) == one(found, "Service", name)["spec"]["ports"][0]["port"]
        file = tmp_path / "external.yaml"
        file.write_text(yaml.safe_dump(jobs))
        assert set(read_external(file)) == set(jobs)


# -- Bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("gatway.enabled=true", "additional properties 'gatway' not allowed"),
        ("jobs.a.scirpt=x", "at '/jobs/a': additional properties 'scirpt' not allowed"),
        ("jobs.a.parallelism=two", "at '/jobs/a/parallelism': got string, want integer"),
        ("jobs.a.parallelism=0", "at '/jobs/a/parallelism'"),
        ("jobs.a.args=x", "at '/jobs/a/args': got string, want array"),
        ("jobs.a.memory=2GB", "at '/jobs/a/memory': '2GB' does not match"),
        ("jobs.a.executors.memory=1g", "at '/jobs/a/executors/memory': '1g' does not match"),
        ("jobs.a.upgrade=always", "at '/jobs/a/upgrade': value must be one of 'refuse', 'savepoint'"),
        ("jobs.a.env[0].nam=x", "at '/jobs/a/env/0'"),
        ("jobs.A_b.script=x", "invalid propertyName 'A_b'"),
        ("jobs.gateway.script=x", "invalid propertyName 'gateway'"),
        ("image.pullPolicy=Sometimes", "at '/image/pullPolicy'"),
        ("image.digest=123", "at '/image/digest'"),
        ("checkpoints.uri=/checkpoints", "at '/checkpoints/uri': '/checkpoints' does not match"),
        ("gateway.launchers[0]=docker", "at '/gateway/launchers/0': value must be one of 'kubernetes', 'process'"),
        ("jobs.a.parallelism=2", "jobs.a: nothing says what to run: give script, module or archive"),
        ("jobs.a.script=x,jobs.a.archive=y", "jobs.a: give one of script, module and archive"),
        ("jobs.a.script=x,jobs.a.bounded=true,jobs.a.scaling.enabled=true", "jobs.a: bounded and scaling.enabled"),
        ("jobs.a.script=x,jobs.a.scaling.min=5", "jobs.a: scaling.min is 5, scaling.max is 4"),
        (
            "jobs.a.script=x,jobs.a.scaling.enabled=true,jobs.a.parallelism=9,jobs.a.upgrade=savepoint",
            "jobs.a: parallelism is 9",
        ),
        (
            "jobs.a.script=x,jobs.a.scaling.enabled=true,jobs.a.upgrade=refuse",
            "jobs.a: scaling.enabled needs upgrade: savepoint",
        ),
        (
            "jobs.a.script=x,jobs.a.scaling.enabled=true,jobs.a.upgrade=savepoint,checkpoints.uri=s3a://b",
            "jobs.a: scaling.enabled needs checkpoints in a claim, not in s3a://b",
        ),
        (
            "jobs.a.script=x,checkpoints.uri=s3a://b,checkpoints.persistence.existingClaim=c",
            'checkpoints: uri is "s3a://b" and persistence.existingClaim is "c": give one of them',
        ),
        ("gateway.ingress.enabled=true", "gateway.ingress.enabled: give gateway.ingress.host, too"),
        ("gateway.launchers[0]=process,gateway.launcher.executors.enabled=true", "gateway.launchers has no kubernetes"),
        ("image.tag=true", "at '/image/tag': got boolean, want integer or string"),
        ("gateway.launcher.memory=2ki", "at '/gateway/launcher/memory': '2ki' does not match"),
        ("enabled=x", "at '/enabled': got string, want boolean"),
        ("jobs.savepoints.script=x", "jobs.savepoints: savepoints are in a folder of this name"),
        (
            "jobs.a.script=x,jobs.a.executors.enabled=true,jobs.a-executors.script=y",
            "jobs.a: the objects of its executors have the names of those of jobs.a-executors",
        ),
    ],
)
def test_wrong_values_are_named(given: str, expected: str) -> None:
    done = run("helm", "template", "release", CHART, "--set", given)
    assert done.returncode == 1
    assert expected in done.stderr


def test_all_keys_are_described() -> None:
    """The schema knows the keys of values.yaml, and no others but those of a job's code."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())

    def keys(about: Mapping[str, Any]) -> Any:
        if "$ref" in about:
            return keys(schema["definitions"][about["$ref"].rpartition("/")[2]])
        if "properties" not in about:
            return None
        return {key: keys(inner) for key, inner in about["properties"].items()}

    def compare(known: Any, given: Any, where: str) -> None:
        if known is not None and given:  # an empty map has the keys of another one
            assert set(known) == set(given), where
            for key, inner in known.items():
                compare(inner, given[key], f"{where}.{key}")

    compare(keys(schema), values, "values")
    job = keys({"$ref": "#/definitions/job"})
    assert set(job) - set(keys({"$ref": "#/definitions/jobDefaults"})) == {"script", "module", "archive"}


# -- What is derived --------------------------------------------------------------------------------------------------
def test_derived_files_are_current() -> None:
    tool("helm")
    tool("helm-docs")
    done = run("sh", ROOT / "scripts" / "manifests", "--check")
    assert done.returncode == 0, done.stderr


def test_the_charts_versions() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == datastream.__version__


def test_each_alert_has_a_section_in_the_runbook() -> None:
    page = (ROOT / "docs" / "kubernetes-runbook.md").read_text()
    alerts = [rule["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    assert [alert for alert in alerts if f"\n### {alert}\n" not in page] == []
