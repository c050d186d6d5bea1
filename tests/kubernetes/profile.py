"""The API server's own word on whether pods satisfy the profile *restricted*: that of the namespace it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.kubernetes.namespace import Namespace, Object, Refused, run

_CHART = Path("helm/datastream")
_VALUES = sorted((Path(__file__).parent / "manifests").glob("*.yaml"))
_OVERLAYS = sorted(file.parent for file in Path("k8s/overlays").glob("*/kustomization.yaml"))
#: What else the API server looks up, and is not here.
_ELSEWHERE = ("serviceAccountName", "priorityClassName")


def refused_pods(namespace: Namespace) -> tuple[list[str], int]:
    """Which pods of the chart, with all values that are tested, and of the manifests are refused; how many were shown.

    Raises:
        Refused: The API server takes any pod.
    """
    shown = {json.dumps(pod, sort_keys=True): name for name, pod in _pods()}
    answers = [_answer(namespace, json.loads(pod)) for pod in shown]
    spec = {"containers": [{"name": "root", "image": "root", "securityContext": {"privileged": True}}]}
    if not _answer(namespace, spec):
        raise Refused(f"the API server takes a privileged pod in {namespace.name}")
    return [f"{name}: {answer}" for name, answer in zip(shown.values(), answers, strict=True) if answer], len(shown)


def _answer(namespace: Namespace, spec: Object) -> str:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "shown-"}, "spec": spec}
    try:
        namespace.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(pod))
    except Refused as error:
        return str(error)
    return ""


def _pods() -> Iterator[tuple[str, Object]]:
    """Name and specification of each pod."""
    rendered = {"the chart": run("helm", "template", "release", str(_CHART))}
    for values in _VALUES:
        rendered[f"the chart, {values.name}"] = run("helm", "template", "release", str(_CHART), "-f", str(values))
    for overlay in _OVERLAYS:
        rendered[str(overlay)] = run("kubectl", "kustomize", str(overlay))
    for where, text in rendered.items():
        for each in yaml.safe_load_all(text):
            if each:
                for spec in _specs(each):
                    yield f"{each['kind']} {each['metadata']['name']} of {where}", _alone(spec)


def _specs(found: Object) -> Iterator[Object]:
    if found["kind"] == "Pod":
        yield found["spec"]
    elif found["kind"] in ("Deployment", "Job", "StatefulSet"):
        yield found["spec"]["template"]["spec"]
    elif found["kind"] == "ConfigMap" and "executor.yaml" in found["data"]:
        spec = yaml.safe_load(found["data"]["executor.yaml"])["spec"]
        # Spark adds the rest.
        yield {**spec, "containers": [{**one, "image": "datastream"} for one in spec["containers"]]}


def _alone(spec: Object) -> Object:
    """The specification without what names other objects; a StatefulSet's claims become folders."""
    found = {key: value for key, value in spec.items() if key not in _ELSEWHERE}
    named = {volume["name"] for volume in found.get("volumes", ())}
    mounted = {mount["name"] for one in found["containers"] for mount in one.get("volumeMounts", ())}
    more = [{"name": name, "emptyDir": {}} for name in sorted(mounted - named)]
    return {**found, "volumes": [*found.get("volumes", ()), *more]}
