"""A driver's pod from Spark's settings, as ``spark-submit`` takes them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from datastream.errors import ValidationError

from .driver_pod import DriverPod

MASTER = "k8s://"
_KUBERNETES = "spark.kubernetes."
_IMAGE = "spark.kubernetes.container.image"
_VOLUME = re.compile(
    r"spark\.kubernetes\.driver\.volumes\.(?P<kind>\w+)\.(?P<name>[^.]+)\.(?P<what>mount|options)\.(?P<key>\w+)"
)
#: Kind of a volume -> its name in a pod, and names of its options.
_VOLUMES = {
    "persistentVolumeClaim": ("persistentVolumeClaim", {"claimName": "claimName"}),
    "emptyDir": ("emptyDir", {"medium": "medium", "sizeLimit": "sizeLimit"}),
    "hostPath": ("hostPath", {"path": "path", "type": "type"}),
    "nfs": ("nfs", {"server": "server", "path": "path"}),
}
_SIZE = re.compile(r"(\d+)([kmgt]?)b?", re.IGNORECASE)
_MIB = {"": 1 / (1 << 20), "k": 1 / 1024, "m": 1, "g": 1024, "t": 1 << 20}
#: Of the driver beside Java's heap: Python, and what plans and commits epochs. In MiB.
_LEAST_OVERHEAD, _OVERHEAD = 1024, 0.4


def server_of(master: str) -> str:
    """The URL of the API: ``k8s://https://host:443``, or ``k8s://host:443``."""
    url = master.removeprefix(MASTER).rstrip("/")
    return url if "://" in url else f"https://{url}"


def executors_of(properties: Mapping[str, str], parallelism: int | None) -> int:
    """How many executors: those that are set, or as many as the parallelism, by default 2, has to have.

    Raises:
        ValidationError: A number is none.
    """
    cores = _number(properties, "spark.executor.cores", 1)
    return _number(properties, "spark.executor.instances", math.ceil((parallelism or 2) / max(1, cores)))


def driver_pod(
    name: str,
    labels: Mapping[str, str],
    files: Mapping[str, str],
    properties: Mapping[str, str],
    needs_account: bool,
) -> DriverPod:
    """The pod of a driver.

    Args:
        name: Of the pod.
        labels: Beside those of the settings.
        files: Path -> key in the pod's secret.
        properties: Spark's settings.
        needs_account: Whether it starts executors, and so speaks with the API.

    Raises:
        ValidationError: There is no image, or a setting is wrong.
    """
    image = properties.get("spark.kubernetes.driver.container.image") or properties.get(_IMAGE)
    if not image:
        raise ValidationError(
            f"no image for the pods: set -D {_IMAGE}=IMAGE, one with datastream and the job's packages"
        )
    account = properties.get("spark.kubernetes.authenticate.driver.serviceAccountName")
    volumes, mounts = _volumes(properties)
    more: dict[str, Any] = {}
    nodes = _below("node.selector.", properties) | _below("driver.node.selector.", properties)
    if nodes:
        more["nodeSelector"] = nodes
    if secrets := properties.get(f"{_IMAGE}.pullSecrets"):
        more["imagePullSecrets"] = [{"name": one.strip()} for one in secrets.split(",") if one.strip()]
    if scheduler := properties.get("spark.kubernetes.driver.scheduler.name"):
        more["schedulerName"] = scheduler
    return DriverPod(
        name=name,
        labels={**_below("driver.label.", properties), **labels},
        annotations=_below("driver.annotation.", properties),
        image=image,
        pull=properties.get(f"{_IMAGE}.pullPolicy", "IfNotPresent"),
        files=files,
        memory=f"{_memory(properties)}Mi",
        cpu=properties.get("spark.kubernetes.driver.request.cores") or properties.get("spark.driver.cores", "1"),
        cpu_limit=properties.get("spark.kubernetes.driver.limit.cores"),
        service_account=account or ("default" if needs_account else None),
        volumes=(*volumes, *_secret_volumes(properties)[0]),
        mounts=(*mounts, *_secret_volumes(properties)[1]),
        env=tuple(_variables(properties)),
        more=more,
    )


def executor_volumes(properties: Mapping[str, str]) -> dict[str, str]:
    """Settings by which executors have the volumes of the driver; empty if they have some of their own."""
    if any(key.startswith("spark.kubernetes.executor.volumes.") for key in properties):
        return {}
    return {
        key.replace(".driver.", ".executor.", 1): value for key, value in properties.items() if _VOLUME.fullmatch(key)
    }


def _below(prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    whole = _KUBERNETES + prefix
    return {key.removeprefix(whole): value for key, value in properties.items() if key.startswith(whole)}


def _volumes(properties: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    found: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for key, value in properties.items():
        if match := _VOLUME.fullmatch(key):
            found.setdefault((match["kind"], match["name"]), {}).setdefault(match["what"], {})[match["key"]] = value
    volumes: list[dict[str, Any]] = []
    mounts: list[dict[str, Any]] = []
    for (kind, name), about in found.items():
        key = f"spark.kubernetes.driver.volumes.{kind}.{name}"
        if kind not in _VOLUMES:
            raise ValidationError(f"{key}: there is no such kind of volume; there are {', '.join(_VOLUMES)}")
        mount, options = about.get("mount", {}), about.get("options", {})
        if "path" not in mount:
            raise ValidationError(f"{key}.mount.path is missing: where the pods have the volume")
        inside, known = _VOLUMES[kind]
        if kind == "persistentVolumeClaim" and options.get("claimName", "OnDemand") == "OnDemand":
            raise ValidationError(f"{key}.options.claimName: name a claim that is there; drivers make none")
        volumes.append({"name": name, inside: {known[key]: value for key, value in options.items() if key in known}})
        one: dict[str, Any] = {"name": name, "mountPath": mount["path"]}
        if mount.get("readOnly") == "true":
            one["readOnly"] = True
        if mount.get("subPath"):
            one["subPath"] = mount["subPath"]
        mounts.append(one)
    return volumes, mounts


def _secret_volumes(properties: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """``spark.kubernetes.driver.secrets.NAME=/path``."""
    places = _below("driver.secrets.", properties)
    volumes = [{"name": f"{name}-volume", "secret": {"secretName": name}} for name in places]
    mounts = [{"name": f"{name}-volume", "mountPath": path, "readOnly": True} for name, path in places.items()]
    return volumes, mounts


def _variables(properties: Mapping[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "value": value} for name, value in _below("driverEnv.", properties).items()
    ]
    for name, place in _below("driver.secretKeyRef.", properties).items():
        secret, _, key = place.partition(":")
        if not key:
            raise ValidationError(f"spark.kubernetes.driver.secretKeyRef.{name}: expected SECRET:KEY, got {place!r}")
        found.append({"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}})
    return found


def _memory(properties: Mapping[str, str]) -> int:
    heap = _mib(properties, "spark.driver.memory", "1g")
    if "spark.driver.memoryOverhead" in properties:
        return heap + _mib(properties, "spark.driver.memoryOverhead", "")
    return heap + max(_LEAST_OVERHEAD, int(_OVERHEAD * heap))


def _mib(properties: Mapping[str, str], key: str, default: str) -> int:
    text = properties.get(key, default).strip()
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValidationError(f"{key}: expected a size such as 2g, got {text!r}")
    unit = match[2].lower() or ("m" if key.endswith("Overhead") else "")
    return max(1, int(int(match[1]) * _MIB[unit]))


def _number(properties: Mapping[str, str], key: str, default: int) -> int:
    text = properties.get(key)
    if text is None:
        return default
    if not text.isdigit():
        raise ValidationError(f"{key}: expected a number, got {text!r}")
    return int(text)
