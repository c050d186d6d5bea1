"""The objects of an attempt in Kubernetes: a pod, and a secret with the artifact and the runner's settings."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from datastream.errors import ValidationError
from datastream.kubernetes.driver_pod import JOB, RIGHTS, SECRET_BYTES, SETTINGS, DriverPod, read_template

from .kubernetes_settings import PREFIX, KubernetesSettings
from .launcher import Launch

_FETCHED = "/artifact"
_CHECKPOINTS = "/checkpoints"
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
    data = {SETTINGS: json.dumps(_runner_settings(launch, settings)).encode()}
    if token is None:
        data["artifact"] = launch.artifact.read_bytes()
    else:
        data["token"] = token.encode()
    return _driver(launch, settings).secret(data)


def pod_of(launch: Launch, settings: KubernetesSettings) -> dict[str, Any]:
    """The pod of an attempt; it needs no rights beyond Kubernetes' restricted profile.

    Raises:
        ValidationError: The template is wrong, or it is not known where an artifact has to be fetched from.
    """
    if is_fetched(launch) and settings.gateway_url is None:
        raise ValidationError(
            f"the artifact {launch.artifact.name!r} has more than {SECRET_BYTES >> 10} KiB, so that its pod has to "
            f"fetch it: set {PREFIX}GATEWAY_URL to this gateway's URL as pods reach it"
        )
    return _driver(launch, settings).manifest(read_template(settings.template, f"{PREFIX}TEMPLATE"))


def _driver(launch: Launch, settings: KubernetesSettings) -> DriverPod:
    volumes: list[dict[str, Any]] = []
    mounts: list[dict[str, Any]] = []
    files = {SETTINGS: SETTINGS}
    first: tuple[dict[str, Any], ...] = ()
    if settings.claim is not None:
        volumes.append({"name": "checkpoints", "persistentVolumeClaim": {"claimName": settings.claim}})
        mounts.append({"name": "checkpoints", "mountPath": _CHECKPOINTS})
    if is_fetched(launch):
        volumes.append({"name": "artifact", "emptyDir": {}})
        mounts.append({"name": "artifact", "mountPath": _FETCHED, "readOnly": True})
        first = (_fetching(launch, settings),)
    else:
        files[f"artifact/{launch.artifact.name}"] = "artifact"
    return DriverPod(
        name=object_name(launch),
        labels={
            "app.kubernetes.io/name": "datastream",
            "app.kubernetes.io/component": "driver",
            **_labels(settings),
            "datastream/job": launch.job,
            "datastream/attempt": str(launch.attempt),
        },
        image=settings.image,
        pull=settings.pull,
        files=files,
        memory=settings.memory,
        cpu=settings.cpus,
        user=int(settings.user),
        tmp=settings.tmp,
        service_account=settings.service_account,
        volumes=tuple(volumes),
        mounts=tuple(mounts),
        init_containers=first,
    )


def _fetching(launch: Launch, settings: KubernetesSettings) -> dict[str, Any]:
    """The container that fetches an artifact."""
    url = f"{(settings.gateway_url or '').rstrip('/')}/artifacts/{quote(launch.artifact.parent.name)}/content"
    token = {"secretKeyRef": {"name": object_name(launch), "key": "token"}}
    return {
        "name": "artifact",
        "image": settings.image,
        "imagePullPolicy": settings.pull,
        "securityContext": RIGHTS,
        "command": ["python", "-c", _FETCH, url, f"{_FETCHED}/{launch.artifact.name}"],
        "env": [{"name": "GATEWAY_TOKEN", "valueFrom": token}],
        "volumeMounts": [{"name": "artifact", "mountPath": _FETCHED}],
        "resources": {"limits": {"memory": "128Mi"}, "requests": {"memory": "128Mi", "cpu": "100m"}},
    }


def _runner_settings(launch: Launch, settings: KubernetesSettings) -> dict[str, Any]:
    folder = _FETCHED if is_fetched(launch) else f"{JOB}/artifact"
    found = {
        **launch.settings,
        launch.kind: f"{folder}/{launch.artifact.name}",
        "control-token": launch.control_token,
    }
    if settings.master is not None:
        found.setdefault("master", settings.master)
    if str(found.get("master") or "").startswith("k8s://"):
        found["properties"] = {**_of_executors(settings), **(found.get("properties") or {})}
    return found


def _labels(settings: KubernetesSettings) -> dict[str, str]:
    """Labels of all pods, by which a network policy selects them."""
    return {"app.kubernetes.io/managed-by": "datastream-gateway", "datastream/gateway": settings.gateway}


def _of_executors(settings: KubernetesSettings) -> dict[str, str]:
    """What executors are made of. The rest, a driver in a pod knows by itself."""
    found = {
        "spark.kubernetes.container.image": settings.executor_image or settings.image,
        "spark.kubernetes.container.image.pullPolicy": settings.pull,
        **{f"spark.kubernetes.executor.label.{key}": value for key, value in _labels(settings).items()},
    }
    secrets = (read_template(settings.template, f"{PREFIX}TEMPLATE").get("spec") or {}).get("imagePullSecrets")
    if secrets:
        found["spark.kubernetes.container.image.pullSecrets"] = ",".join(one["name"] for one in secrets)
    if settings.claim is not None:
        volume = "spark.kubernetes.executor.volumes.persistentVolumeClaim.checkpoints"
        found[f"{volume}.mount.path"] = _CHECKPOINTS
        found[f"{volume}.options.claimName"] = settings.claim
    return found
