"""The objects of an attempt in Kubernetes: a pod, and a secret with the artifact and the runner's settings."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datastream.errors import ValidationError

from .kubernetes_settings import PREFIX, KubernetesSettings
from .launcher import Launch

PORT = 9249
#: Of an artifact in a secret, which has 1 MiB at most; larger ones are fetched.
SECRET_BYTES = 900 << 10
_JOB = "/etc/datastream/job"
_FETCHED = "/artifact"
_CHECKPOINTS = "/checkpoints"
_GRACE_S = 30
_FETCH = """
import os, shutil, sys, urllib.request
asked = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + os.environ["GATEWAY_TOKEN"]})
with urllib.request.urlopen(asked, timeout=60) as answer, open(sys.argv[2], "wb") as out:
    shutil.copyfileobj(answer, out)
"""


def object_name(launch: Launch) -> str:
    """Name of an attempt's pod, and of its secret."""
    return f"datastream-{launch.job}-{launch.attempt}"


def is_fetched(launch: Launch) -> bool:
    """Whether the artifact is too large for a secret."""
    return launch.artifact.stat().st_size > SECRET_BYTES


def secret_of(launch: Launch, settings: KubernetesSettings, token: str | None) -> dict[str, Any]:
    """The secret of an attempt.

    Args:
        launch: The attempt.
        settings: Of the launcher.
        token: With which the pod fetches its artifact; None: the artifact is in the secret.
    """
    data = {"runner.json": json.dumps(_runner_settings(launch, settings)).encode()}
    if token is None:
        data["artifact"] = launch.artifact.read_bytes()
    else:
        data["token"] = token.encode()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": object_name(launch), "labels": _labels(launch, settings)},
        "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
    }


def pod_of(launch: Launch, settings: KubernetesSettings) -> dict[str, Any]:
    """The pod of an attempt; it needs no rights beyond Kubernetes' restricted profile.

    Raises:
        ValidationError: The template is wrong, or an artifact has to be fetched from nobody knows where.
    """
    name, user = object_name(launch), int(settings.user)
    rights = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    items = [{"key": "runner.json", "path": "runner.json"}]
    if not is_fetched(launch):
        items.append({"key": "artifact", "path": f"artifact/{launch.artifact.name}"})
    volumes: list[dict[str, Any]] = [
        {"name": "job", "secret": {"secretName": name, "items": items, "defaultMode": 0o440}},
        {"name": "tmp", "emptyDir": {"sizeLimit": settings.tmp}},
    ]
    mounts = [
        {"name": "job", "mountPath": _JOB, "readOnly": True},
        {"name": "tmp", "mountPath": "/tmp"},
    ]
    if settings.claim is not None:
        volumes.append({"name": "checkpoints", "persistentVolumeClaim": {"claimName": settings.claim}})
        mounts.append({"name": "checkpoints", "mountPath": _CHECKPOINTS})
    common = {"image": settings.image, "imagePullPolicy": settings.pull, "securityContext": rights}
    driver: dict[str, Any] = {
        **common,
        "name": "driver",
        "args": ["--config", f"{_JOB}/runner.json"],
        "env": [{"name": "DATASTREAM_ADDRESS", "value": "0.0.0.0"}, {"name": "DATASTREAM_PORT", "value": str(PORT)}],
        "ports": [{"name": "http", "containerPort": PORT}],
        "volumeMounts": mounts,
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5, "timeoutSeconds": 5},
        "resources": {
            "limits": {"memory": settings.memory},
            "requests": {"memory": settings.memory, "cpu": settings.cpus},
        },
    }
    if _on_kubernetes(launch, settings):
        place = {"fieldRef": {"fieldPath": "status.podIP"}}
        driver["env"].append({"name": "DATASTREAM_PROPERTIES__spark__driver__host", "valueFrom": place})
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": _GRACE_S,
        "automountServiceAccountToken": settings.service_account is not None,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": user,
            "runAsGroup": user,
            "fsGroup": user,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [driver],
        "volumes": volumes,
    }
    if settings.service_account is not None:
        spec["serviceAccountName"] = settings.service_account
    if is_fetched(launch):
        if settings.gateway_url is None:
            raise ValidationError(
                f"the artifact {launch.artifact.name!r} has more than {SECRET_BYTES >> 10} KiB, so that its pod has to "
                f"fetch it: set {PREFIX}GATEWAY_URL to this gateway's URL as pods reach it"
            )
        volumes.append({"name": "artifact", "emptyDir": {}})
        fetched = {"name": "artifact", "mountPath": _FETCHED}
        mounts.append({**fetched, "readOnly": True})
        url = f"{settings.gateway_url.rstrip('/')}/artifacts/{launch.artifact.parent.name}/content"
        token = {"secretKeyRef": {"name": name, "key": "token"}}
        spec["initContainers"] = [
            {
                **common,
                "name": "artifact",
                "command": ["python", "-c", _FETCH, url, f"{_FETCHED}/{launch.artifact.name}"],
                "env": [{"name": "GATEWAY_TOKEN", "valueFrom": token}],
                "volumeMounts": [fetched],
                "resources": {"limits": {"memory": "128Mi"}, "requests": {"memory": "128Mi", "cpu": "100m"}},
            }
        ]
    ours = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": _labels(launch, settings)},
        "spec": spec,
    }
    return _merged(_template(settings), ours)


def _labels(launch: Launch, settings: KubernetesSettings) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "datastream",
        "app.kubernetes.io/component": "driver",
        "app.kubernetes.io/managed-by": "datastream-gateway",
        "datastream/job": launch.job,
        "datastream/attempt": str(launch.attempt),
        "datastream/gateway": settings.gateway,
    }


def _on_kubernetes(launch: Launch, settings: KubernetesSettings) -> bool:
    return str(launch.settings.get("master") or settings.master or "").startswith("k8s://")


def _runner_settings(launch: Launch, settings: KubernetesSettings) -> dict[str, Any]:
    folder = _FETCHED if is_fetched(launch) else f"{_JOB}/artifact"
    found = {
        **launch.settings,
        launch.kind: f"{folder}/{launch.artifact.name}",
        "control-token": launch.control_token,
    }
    if settings.master is not None:
        found.setdefault("master", settings.master)
    if _on_kubernetes(launch, settings):
        found["properties"] = {**_of_executors(launch, settings), **(found.get("properties") or {})}
    return found


def _of_executors(launch: Launch, settings: KubernetesSettings) -> dict[str, str]:
    """What Spark has to know to start executors beside the driver's pod, which they end with."""
    found = {
        "spark.kubernetes.namespace": settings.namespace,
        "spark.kubernetes.driver.pod.name": object_name(launch),
        "spark.kubernetes.container.image": settings.executor_image or settings.image,
        "spark.kubernetes.container.image.pullPolicy": settings.pull,
        "spark.driver.bindAddress": "0.0.0.0",
    }
    if settings.service_account is not None:
        found["spark.kubernetes.authenticate.serviceAccountName"] = settings.service_account
    if settings.claim is not None:
        volume = "spark.kubernetes.executor.volumes.persistentVolumeClaim.checkpoints"
        found[f"{volume}.mount.path"] = _CHECKPOINTS
        found[f"{volume}.options.claimName"] = settings.claim
    return found


def _template(settings: KubernetesSettings) -> dict[str, Any]:
    if settings.template is None:
        return {}
    import yaml

    try:
        found = yaml.safe_load(Path(settings.template).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValidationError(f"{PREFIX}TEMPLATE: {settings.template} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("kind", "Pod") != "Pod":
        raise ValidationError(f"{PREFIX}TEMPLATE: {settings.template}: expected a pod")
    return found


def _merged(template: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """A template with what a driver needs. Of lists whose members have names, those of one name are merged."""
    found = dict(template)
    for key, value in ours.items():
        before = found.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            found[key] = _merged(before, value)
        elif isinstance(before, list) and isinstance(value, list) and all("name" in one for one in (*before, *value)):
            named = {one["name"]: one for one in before}
            for one in value:
                named[one["name"]] = _merged(named.get(one["name"], {}), one)
            found[key] = list(named.values())
        else:
            found[key] = value
    return found
