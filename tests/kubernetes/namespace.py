"""A namespace of a real cluster, and the programs that change it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Object = dict[str, Any]

_CHART = Path("helm/datastream")
#: Only pods of Kubernetes' restricted profile are taken.
_RESTRICTED = "pod-security.kubernetes.io/enforce=restricted"
#: Below this folder are the volumes of a cluster that `scripts/kubernetes` has started: nothing else provides any.
_FOLDERS = "DATASTREAM_KUBERNETES_FOLDERS"
_SYSTEM = ("kube-root-ca.crt", "default")


class Refused(Exception):
    """A program has failed; the message is what it said."""


class Namespace:
    """A namespace in which nothing but what is tested runs.

    Args:
        name: Its name. What is there of that name goes first.
        volumes: So many volumes wait for its claims.
    """

    def __init__(self, name: str, volumes: int = 8) -> None:
        self.name = name
        self.remove()
        self._make_volumes(volumes)

    def make(self) -> None:
        """Make the namespace, where no manifest does."""
        self.kubectl("create", "namespace", self.name, of=None)
        self.kubectl("label", "namespace", self.name, _RESTRICTED, of=None)

    def remove(self) -> None:
        """Delete it, with all that is in it, and its volumes."""
        self.kubectl("delete", "namespace", self.name, "--ignore-not-found", "--timeout=180s", of=None)
        if _FOLDERS in os.environ:
            self.kubectl("delete", "pv", "-l", f"of={self.name}", "--ignore-not-found", of=None)
            shutil.rmtree(self._folder, ignore_errors=True)

    def kubectl(self, *args: object, of: str | None = "", given: str | None = None) -> str:
        """What kubectl prints.

        Args:
            args: Its arguments.
            of: The namespace; "": this one, None: no matter which.
            given: Its input.

        Raises:
            Refused: It failed.
        """
        where = () if of is None else ("-n", of or self.name)
        return run("kubectl", *where, *map(str, args), given=given)

    def helm(self, *args: object) -> str:
        """What helm prints; as `kubectl`."""
        return run("helm", "-n", self.name, *map(str, args))

    def install(self, release: str, values: Object, *args: object, verb: str = "install") -> str:
        """Install or upgrade a release of the chart with these values."""
        return run(
            "helm",
            *("-n", self.name, verb, release, str(_CHART), "-f", "-", *map(str, args)),
            given=json.dumps(values),
        )

    def get(self, kind: str, selector: str = "") -> list[Object]:
        """Objects of a kind."""
        found: list[Object] = json.loads(self.kubectl("get", kind, "-o", "json", *(("-l", selector) * bool(selector))))[
            "items"
        ]
        return found

    def pods(self, selector: str) -> list[str]:
        """Names of the pods that are not being deleted."""
        return [
            pod["metadata"]["name"]
            for pod in self.get("pods", selector)
            if "deletionTimestamp" not in pod["metadata"] and pod["status"]["phase"] in ("Pending", "Running")
        ]

    def running(self, selector: str) -> list[str]:
        """Names of the pods all of whose containers run."""
        return [
            pod["metadata"]["name"]
            for pod in self.get("pods", selector)
            if "deletionTimestamp" not in pod["metadata"]
            and pod["status"]["phase"] == "Running"
            and all("running" in each["state"] for each in pod["status"].get("containerStatuses", ()))
        ]

    def has(self, pod: str) -> bool:
        """Whether a pod is there, if only to end."""
        return bool(self.kubectl("get", "pod", pod, "--ignore-not-found", "-o", "name"))

    def ready(self, *what: str, limit_s: int = 300) -> None:
        """Wait until Deployments and StatefulSets are as they should be."""
        for each in what:
            self.kubectl("rollout", "status", each, f"--timeout={limit_s}s")

    def left(self) -> set[str]:
        """All that is there but what Kubernetes makes in each namespace, and what ends by itself."""
        kinds = self.kubectl("api-resources", "--namespaced", "--verbs=list", "-o", "name", of=None).split()
        wanted = ",".join(kind for kind in kinds if not kind.startswith(("events", "endpoints")))
        found = json.loads(self.kubectl("get", wanted, "-o", "json"))["items"]
        return {
            f"{each['kind']} {each['metadata']['name']}"
            for each in found
            if each["metadata"]["name"] not in _SYSTEM and "deletionTimestamp" not in each["metadata"]
        }

    def memory(self) -> dict[str, int]:
        """Pod -> bytes that it uses, without what is cached of files."""
        nodes = json.loads(self.kubectl("get", "nodes", "-o", "json", of=None))["items"]
        found = {}
        for node in nodes:
            path = f"/api/v1/nodes/{node['metadata']['name']}/proxy/stats/summary"
            for pod in json.loads(self.kubectl("get", "--raw", path, of=None))["pods"]:
                if pod["podRef"]["namespace"] == self.name and "memory" in pod:
                    found[pod["podRef"]["name"]] = int(pod["memory"].get("workingSetBytes", 0))
        return found

    def address(self, pod: str) -> str:
        """A pod's address; "": it has none yet."""
        return self.kubectl("get", "pod", pod, "-o", "jsonpath={.status.podIP}", "--ignore-not-found")

    @property
    def _folder(self) -> Path:
        return Path(os.environ[_FOLDERS]) / self.name

    def _make_volumes(self, count: int) -> None:
        if _FOLDERS not in os.environ:
            return
        for number in range(count):
            folder = self._folder / str(number)
            folder.mkdir(parents=True)
            folder.chmod(0o777)
            volume = {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": f"{self.name}-{number}", "labels": {"of": self.name}},
                "spec": {
                    "capacity": {"storage": "10Gi"},
                    "accessModes": ["ReadWriteOnce", "ReadWriteMany"],
                    "storageClassName": "datastream-folders",
                    "persistentVolumeReclaimPolicy": "Retain",
                    "hostPath": {"path": str(folder)},
                },
            }
            self.kubectl("create", "-f", "-", of=None, given=json.dumps(volume))


def until(what: str, found: Callable[[], object], limit_s: float, pause_s: float = 0.2) -> float:
    """Wait for something; the time that it took, in s.

    Raises:
        TimeoutError: It did not come.
    """
    began = time.monotonic()
    while not found():
        if time.monotonic() - began > limit_s:
            raise TimeoutError(f"{what}: not within {limit_s:.0f} s")
        time.sleep(pause_s)
    return time.monotonic() - began


def run(*command: str, given: str | None = None) -> str:
    """What a program prints.

    Raises:
        Refused: It failed.
    """
    done = subprocess.run(command, capture_output=True, text=True, input=given)
    if done.returncode:
        raise Refused(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
