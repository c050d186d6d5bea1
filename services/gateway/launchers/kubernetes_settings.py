"""What can be set of pods."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from datastream.errors import ValidationError

from .variables import read_variables

PREFIX = "DATASTREAM_GATEWAY_KUBERNETES_"


@dataclass(frozen=True)
class KubernetesSettings:
    """Settings of the Kubernetes launcher.

    Attributes:
        context: Of the kubeconfig; None: the cluster that the gateway runs in, or else the current context.
        namespace: Of the pods.
        image: Image of the drivers; one with the runner as its entrypoint.
        pull: When the image is pulled: ``IfNotPresent``, ``Always`` or ``Never``.
        memory: Limit of a pod, such as ``2Gi``.
        cpus: What a pod asks for, such as ``1`` or ``500m``.
        user: User and group of the processes, as a number.
        tmp: Size of ``/tmp``.
        service_account: Of the pods; None: the namespace's default one, and its token is not given to them.
        template: YAML file of a pod: what it says of labels, nodes, tolerations and volumes counts too.
        claim: PersistentVolumeClaim for checkpoints and savepoints; mounted at ``/checkpoints``.
        checkpoints: Directory of checkpoints and savepoints that all pods reach, such as ``s3a://bucket/jobs``,
            in place of a claim.
        gateway_url: Of this gateway as pods reach it. Needed for artifacts of more than 900 KiB, which pods fetch.
        gateway: Name of this gateway in the pods' labels.
        master: Spark's master for jobs that name none, such as ``k8s://https://kubernetes.default.svc``; None: drivers
            run their job themselves.
        executor_image: Image of Spark's executors on Kubernetes.
    """

    context: str | None = None
    namespace: str = "default"
    image: str = "datastream"
    pull: str = "IfNotPresent"
    memory: str = "2Gi"
    cpus: str = "1"
    user: str = "10001"
    tmp: str = "512Mi"
    service_account: str | None = None
    template: str | None = None
    claim: str | None = None
    checkpoints: str | None = None
    gateway_url: str | None = None
    gateway: str = "datastream"
    master: str | None = None
    executor_image: str | None = None

    def __post_init__(self) -> None:
        quantity, name = r"\d+(\.\d+)?(m|k|Ki|[MGTPE]i?)?", r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?"
        problems = [
            f"{PREFIX}{setting.upper()}: expected {expected}, got {value!r}"
            for setting, value, pattern, expected in (
                ("memory", self.memory, quantity, "a size such as 2Gi"),
                ("tmp", self.tmp, quantity, "a size such as 512Mi"),
                ("cpus", self.cpus, quantity, "a number such as 1 or 500m"),
                ("user", self.user, r"[1-9]\d*", "a number such as 10001"),
                ("namespace", self.namespace, name, "a name of Kubernetes"),
                ("pull", self.pull, "IfNotPresent|Always|Never", "IfNotPresent, Always or Never"),
                ("gateway", self.gateway, r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", "a label's value"),
            )
            if not re.fullmatch(pattern, value)
        ]
        if self.claim is not None and self.checkpoints is not None:
            problems.append(f"{PREFIX}CLAIM and {PREFIX}CHECKPOINTS: give one of them")
        if problems:
            raise ValidationError("\n".join(problems))

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> KubernetesSettings:
        """The settings in variables such as ``DATASTREAM_GATEWAY_KUBERNETES_NAMESPACE``.

        Raises:
            ValidationError: One is unknown, or its value is wrong.
        """
        return read_variables(cls, PREFIX, variables)
