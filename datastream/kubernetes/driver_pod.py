"""The pod of a driver: one that needs no rights beyond Kubernetes' restricted profile."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datastream.errors import ValidationError

PORT = 9249
#: Where the files of its secret are.
JOB = "/etc/datastream/job"
SETTINGS = "runner.json"
#: Of all files of a secret; Kubernetes takes 1 MiB at most, as base64.
SECRET_BYTES = 900 << 10
#: From SIGTERM to SIGKILL; above the time that the runner gives the epoch in progress.
GRACE_S = 30
#: Of every container.
RIGHTS = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}


@dataclass(frozen=True)
class DriverPod:
    """What a driver's pod is made of. Its container runs the image's entrypoint with the settings of its secret.

    Attributes:
        name: Of the pod and of its secret.
        labels: Of both.
        image: Image with the runner as its entrypoint.
        pull: When it is pulled.
        files: Path below `JOB` -> key in the secret.
        memory: Limit and request.
        cpu: Request.
        user: User and group of the processes.
        tmp: Size of ``/tmp``; None: no limit.
        service_account: None: the pod has no token.
        cpu_limit: None: no limit.
        volumes: More volumes.
        mounts: Their places.
        env: More variables.
        init_containers: What runs before.
        more: Other parts of the specification.
        annotations: Of the pod.
    """

    name: str
    labels: Mapping[str, str]
    image: str
    pull: str
    files: Mapping[str, str]
    memory: str
    cpu: str
    user: int = 10001
    tmp: str | None = None
    service_account: str | None = None
    cpu_limit: str | None = None
    volumes: tuple[Mapping[str, Any], ...] = ()
    mounts: tuple[Mapping[str, Any], ...] = ()
    env: tuple[Mapping[str, Any], ...] = ()
    init_containers: tuple[Mapping[str, Any], ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    def manifest(self, template: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The pod.

        Args:
            template: A pod whose labels, nodes, tolerations, volumes and further containers count too.
        """
        items = [{"key": key, "path": path} for path, key in self.files.items()]
        limits = {"memory": self.memory} | ({} if self.cpu_limit is None else {"cpu": self.cpu_limit})
        probe = {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5, "timeoutSeconds": 5}
        driver: dict[str, Any] = {
            "name": "driver",
            "image": self.image,
            "imagePullPolicy": self.pull,
            "securityContext": RIGHTS,
            "args": ["--config", f"{JOB}/{SETTINGS}"],
            "env": [
                {"name": "DATASTREAM_ADDRESS", "value": "0.0.0.0"},
                {"name": "DATASTREAM_PORT", "value": str(PORT)},
                *self.env,
            ],
            "ports": [{"name": "http", "containerPort": PORT}],
            "volumeMounts": [
                {"name": "job", "mountPath": JOB, "readOnly": True},
                {"name": "tmp", "mountPath": "/tmp"},
                *self.mounts,
            ],
            "readinessProbe": probe,
            "resources": {"limits": limits, "requests": {"memory": self.memory, "cpu": self.cpu}},
        }
        spec: dict[str, Any] = {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": GRACE_S,
            "automountServiceAccountToken": self.service_account is not None,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": self.user,
                "runAsGroup": self.user,
                "fsGroup": self.user,
                "fsGroupChangePolicy": "OnRootMismatch",
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [driver],
            "volumes": [
                {"name": "job", "secret": {"secretName": self.name, "items": items, "defaultMode": 0o440}},
                {"name": "tmp", "emptyDir": {} if self.tmp is None else {"sizeLimit": self.tmp}},
                *self.volumes,
            ],
            **self.more,
        }
        if self.service_account is not None:
            spec["serviceAccountName"] = self.service_account
        if self.init_containers:
            spec["initContainers"] = list(self.init_containers)
        metadata: dict[str, Any] = {"name": self.name, "labels": dict(self.labels)}
        if self.annotations:
            metadata["annotations"] = dict(self.annotations)
        ours = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        return _merged(template or {}, ours)

    def secret(self, data: Mapping[str, bytes], owner: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The secret of the pod.

        Args:
            data: Key -> content.
            owner: The pod, as the cluster has it: the secret is deleted with it.
        """
        metadata: dict[str, Any] = {"name": self.name, "labels": dict(self.labels)}
        if owner is not None:
            uid = owner["metadata"]["uid"]
            metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": self.name, "uid": uid}]
        coded = {key: base64.b64encode(value).decode() for key, value in data.items()}
        return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": coded}


def read_template(file: str | None, setting: str) -> dict[str, Any]:
    """A template of a pod; empty if there is none.

    Args:
        file: YAML.
        setting: What names it, for messages.

    Raises:
        ValidationError: It cannot be read, or is none.
    """
    if file is None:
        return {}
    import yaml

    try:
        found = yaml.safe_load(Path(file).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValidationError(f"{setting}: {file} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("kind", "Pod") != "Pod":
        raise ValidationError(f"{setting}: {file}: expected a pod")
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
