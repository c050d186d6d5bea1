"""Namespaces of a real cluster for tests: that of KUBECONFIG, whose node is this machine and has the drivers' image."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from lightkube import Client
from lightkube.resources.core_v1 import Namespace, PersistentVolume, PersistentVolumeClaim, ServiceAccount
from lightkube.resources.rbac_authorization_v1 import Role, RoleBinding

from tests.support.servers.choice import FORCE
from tests.support.waiting import wait_until

_PREFIX = os.environ.get("DATASTREAM_TEST_NAMESPACE", "datastream-tests")
#: What the docs give a driver with executors.
DRIVER_VERBS = ("get", "list", "watch", "create", "delete", "deletecollection")


@dataclass(frozen=True)
class TestNamespace:
    """A namespace that takes nothing but pods without rights, with a claim ``jobs``.

    Attributes:
        api: Its client.
        name: Its name.
        folder: What the claim holds.
    """

    __test__ = False

    api: Client
    name: str
    folder: Path

    @property
    def server(self) -> str:
        """URL of the API."""
        found: str = self.api.config.cluster.server
        return found

    def account(self, name: str, verbs: tuple[str, ...]) -> None:
        """Make a service account with rights on pods."""
        rule = {"apiGroups": [""], "resources": ["pods"], "verbs": list(verbs)}
        subject = {"kind": "ServiceAccount", "name": name, "namespace": self.name}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
        about = {"metadata": {"name": name}}
        self.api.create(ServiceAccount.from_dict(about))
        self.api.create(Role.from_dict({**about, "rules": [rule]}))
        self.api.create(RoleBinding.from_dict({**about, "roleRef": role, "subjects": [subject]}))


@contextmanager
def namespace(suffix: str) -> Iterator[TestNamespace]:
    """A namespace of the tests' own; skips the test where there is no cluster."""
    if os.environ.get(FORCE) == "process" or not os.environ.get("KUBECONFIG"):
        pytest.skip("KUBECONFIG names no cluster for the tests")
    name = f"{_PREFIX}-{suffix}"
    api = Client(namespace=name)
    enforced = {"pod-security.kubernetes.io/enforce": "restricted"}
    try:
        api.create(Namespace.from_dict({"metadata": {"name": name, "labels": enforced}}))
    except Exception as error:
        pytest.skip(f"no cluster answers: {error}"[:300])
    folder = Path(f"/tmp/{name}")
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    size, modes = {"storage": "1Gi"}, ["ReadWriteMany"]
    volume = {"capacity": size, "accessModes": modes, "hostPath": {"path": str(folder)}}
    claim = {"accessModes": modes, "resources": {"requests": size}, "volumeName": name, "storageClassName": ""}
    api.create(PersistentVolume.from_dict({"metadata": {"name": name}, "spec": volume}))
    api.create(PersistentVolumeClaim.from_dict({"metadata": {"name": "jobs"}, "spec": claim}))
    wait_until(lambda: list(api.list(ServiceAccount)), "service account", every_s=0.1)
    try:
        yield TestNamespace(api, name, folder)
    finally:
        api.delete(Namespace, name)
        api.delete(PersistentVolume, name)
        api.close()
        shutil.rmtree(folder, ignore_errors=True)
