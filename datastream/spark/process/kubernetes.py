"""Spark's settings for a driver that runs in a pod, and whose executors are pods beside it."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MASTER = "k8s://"
TEMPLATE = "spark.kubernetes.executor.podTemplateFile"

#: The scheduler's error for each executor that it could not create.
_REFUSAL = re.compile(
    r"KubernetesClientException: Failure executing: POST at: \S+ Message: (.{1,500}?)\. Received status"
)
_TAIL = 64 << 10
_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_DEFAULTS = {
    # Executors have all settings from the driver: nothing is left for a file in a config map.
    "spark.kubernetes.executor.disableConfigMap": "true",
    # Claims are those that the settings name; the driver makes none, so it has none to look for and to delete.
    "spark.kubernetes.driver.ownPersistentVolumeClaim": "false",
    "spark.kubernetes.driver.reusePersistentVolumeClaim": "false",
    # The driver's service is that of `spark-submit` in cluster mode.
    "spark.kubernetes.driver.service.deleteOnTermination": "false",
    # 10 s by default, too little for an API server under load.
    "spark.kubernetes.driver.connectionTimeout": "60000",
    "spark.kubernetes.driver.requestTimeout": "60000",
    # By default the third lost executor would end the job, even after months.
    "spark.executor.maxNumFailures": "50",
    "spark.executor.failuresValidityInterval": "1h",
    # Python's processes and RocksDB are outside of Java's heap.
    "spark.executor.memoryOverheadFactor": "0.6",
}


def in_pod() -> bool:
    """Whether this process runs in a pod."""
    return bool(os.environ.get("KUBERNETES_SERVICE_HOST"))


def settings_in_pod(folder: Path) -> dict[str, str]:
    """Settings by which executors find the driver, belong to its pod and end with it.

    Args:
        folder: For the template of the executors' pods.
    """
    template = folder / "executor.json"
    # Where Spark's local files are on this machine is where the scheduler mounts a volume for those of an executor.
    local = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    template.write_text(json.dumps(executor_template(os.getuid(), os.getgid(), own_tmp="/tmp" not in local)))
    found = {
        **_DEFAULTS,
        TEMPLATE: str(template),
        "spark.kubernetes.driver.pod.name": socket.gethostname(),
        "spark.driver.host": _address(os.environ),
    }
    if _NAMESPACE.exists():
        found["spark.kubernetes.namespace"] = _NAMESPACE.read_text().strip()
    return found


def refusal(error: str, log: Path) -> str | None:
    """What the cluster has refused as Spark started; None: that is not what happened.

    Args:
        error: Java's error with its stack.
        log: Spark's own log, which has the error if it was that no executor could be created.
    """
    found = _REFUSAL.findall(error)
    if not found:
        try:
            with log.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
                found = _REFUSAL.findall(file.read().decode("utf-8", "replace"))
        except OSError:
            return None
    # In the log's form of JSON quotes are escaped.
    return f"Kubernetes refuses: {found[-1].replace(chr(92), '')}" if found else None


def executor_template(user: int, group: int, own_tmp: bool) -> dict[str, Any]:
    """A pod that needs no rights beyond Kubernetes' restricted profile.

    Args:
        user: Of its processes, as a number.
        group: Of its processes, and of its volumes.
        own_tmp: Whether it needs a volume for ``/tmp``.
    """
    container: dict[str, Any] = {
        "name": "spark-kubernetes-executor",
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    if own_tmp:
        container["volumeMounts"] = [{"name": "tmp", "mountPath": "/tmp"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {"app.kubernetes.io/name": "datastream", "app.kubernetes.io/component": "executor"}},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": user,
                "runAsGroup": group,
                "fsGroup": group,
                "fsGroupChangePolicy": "OnRootMismatch",
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [container],
            "volumes": [{"name": "tmp", "emptyDir": {}}] if own_tmp else [],
        },
    }


def _address(variables: Mapping[str, str]) -> str:
    """This pod's address on the way to the API server."""
    host = variables["KUBERNETES_SERVICE_HOST"]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as way:  # nothing is sent
        way.connect((host, int(variables.get("KUBERNETES_SERVICE_PORT", "443"))))
        found: str = way.getsockname()[0]
    return f"[{found}]" if ":" in found else found
