"""Who reaches whom between the pods of a release, where the cluster's network plugin enforces network policies."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tests.kubernetes.namespace import Namespace, Object, Refused, until

#: `scripts/kubernetes` has started a plugin that enforces them.
_ENFORCED = "DATASTREAM_KUBERNETES_FIREWALL"
#: No policy names this port: something listens there in each pod while it is tried.
_OTHER = 18080
_GATEWAY, _DRIVER, _KAFKA = 8081, 9249, 19092
#: Of a driver and its executors, in the chart: Spark's own.
_SPARK = (7078, 7079)
_TRY = """
import concurrent.futures, json, socket, sys

def tried(where):
    try:
        socket.create_connection(tuple(where), 3).close()
        return ""
    except OSError as error:
        return type(error).__name__

places = json.loads(sys.argv[1])
with concurrent.futures.ThreadPoolExecutor(len(places)) as pool:
    print(json.dumps(list(pool.map(tried, places))))
"""
_LISTEN = """
import socket, sys
server = socket.create_server(("0.0.0.0", int(sys.argv[1])), backlog=1000)
print("listens", flush=True)
sys.stdin.read()
"""
#: How a connection fails that is refused, or whose packets are dropped.
_SHUT = {"ConnectionRefusedError", "TimeoutError", "OSError", "PermissionError"}


@dataclass(frozen=True)
class Pod:
    """A pod of the trial."""

    namespace: Namespace
    name: str

    @property
    def address(self) -> str:
        return self.namespace.address(self.name)

    def python(self, code: str, *args: object) -> str:
        """What a program prints in it.

        Raises:
            Refused: It failed.
        """
        return self.namespace.kubectl("exec", self.name, "--", "python", "-c", code, *args)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Something listens at the other port."""
        command = ["kubectl", "-n", self.namespace.name, "exec", "-i", self.name, "--"]
        with subprocess.Popen(
            [*command, "python", "-c", _LISTEN, str(_OTHER)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as server:  # fmt: skip
            assert server.stdin is not None and server.stdout is not None and server.stderr is not None
            if server.stdout.readline() != "listens\n":
                raise Refused(f"nothing can listen in {self.name}: {server.stderr.read()}")
            yield
            server.stdin.close()


class Strangers:
    """Pods that the release does not know, beside it and in a namespace of their own."""

    def __init__(self, beside: Namespace, image: str) -> None:
        self.elsewhere = Namespace(f"{beside.name}-strangers", volumes=0)
        self.elsewhere.make()
        places = {"beside": beside, "elsewhere": self.elsewhere, "user": self.elsewhere, "prometheus": self.elsewhere}
        self.pods = {name: Pod(where, f"stranger-{name}") for name, where in places.items()}
        for name, pod in self.pods.items():
            pod.namespace.kubectl("create", "-f", "-", given=json.dumps(_stranger(pod.name, name, image)))
        for pod in self.pods.values():
            pod.namespace.kubectl("wait", "--for=condition=Ready", f"pod/{pod.name}", "--timeout=120s")

    def remove(self) -> None:
        """Delete them."""
        beside = self.pods["beside"]
        beside.namespace.kubectl("delete", "pod", beside.name, "--timeout=60s")
        self.elsewhere.remove()


def policy_values(namespace: Namespace) -> Object:
    """Values of the chart with which pods reach, and are reached by, nothing but what they need.

    Args:
        namespace: Where Kafka is, and the release will be.
    """
    elsewhere = {"kubernetes.io/metadata.name": f"{namespace.name}-strangers"}

    def stranger(name: str) -> Object:
        return {"namespaceSelector": {"matchLabels": elsewhere}, "podSelector": {"matchLabels": {"stranger": name}}}

    broker = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "kafka"}}}
    api = namespace.kubectl(
        *("get", "endpointslices", "-l", "kubernetes.io/service-name=kubernetes"),
        *("-o", "jsonpath={.items[*].ports[*].port}"),
        of="default",
    )
    return {
        "networkPolicy": {
            "gatewayFrom": [stranger("user")],
            "metricsFrom": [stranger("prometheus")],
            "egress": {
                "enabled": True,
                "to": [{"to": [broker], "ports": [{"port": _KAFKA}]}],
                "apiServerPorts": sorted({443, *map(int, api.split())}),
            },
        },
        # The gateway has metrics, too.
        "serviceMonitor": {"gatewayToken": {"existingSecret": "prometheus-token"}},
    }


@dataclass(frozen=True)
class Way:
    """A connection that was tried.

    Attributes:
        name: From where to where.
        allowed: Whether it has to be possible.
        error: How it failed; "": it did not.
    """

    name: str
    allowed: bool
    error: str

    @property
    def wrong(self) -> bool:
        return bool(self.error) if self.allowed else self.error not in _SHUT

    def __str__(self) -> str:
        return f"{self.name}: {self.error or 'open'}"


def wrong_ways(namespace: Namespace, strangers: Strangers, selectors: Mapping[str, str]) -> list[str] | None:
    """Tries each way between pods; those that are open and must not be, or are shut. None: nothing is enforced here.

    Args:
        namespace: Where the release is.
        strangers: The pods that it does not know.
        selectors: Kind of the release's pods (gateway, driver; executor, submitted) -> what selects one.
    """
    pods = {kind: Pod(namespace, namespace.running(selector)[0]) for kind, selector in selectors.items()}
    pods |= strangers.pods
    addresses = {kind: pod.address for kind, pod in pods.items()}
    places = {
        "Kafka": (f"kafka.{namespace.name}.svc", _KAFKA),
        "API server": ("kubernetes.default.svc", 443),
        "gateway": (addresses["gateway"], _GATEWAY),
    }
    places |= {kind: (addresses[kind], _DRIVER) for kind in ("driver", "submitted") if kind in pods}
    places |= {f"{kind}, another port": (address, _OTHER) for kind, address in addresses.items()}
    if "executor" in pods:
        places |= {f"driver, {port}": (addresses["driver"], port) for port in _SPARK}
        places["executor, 7079"] = (addresses["executor"], _SPARK[1])
    ways: list[Way] = []

    def right() -> bool:
        ways.clear()
        for who, pod in pods.items():
            # What a pod says to itself passes no network.
            others = {name: place for name, place in places.items() if place[0] != addresses[who]}
            errors = json.loads(pod.python(_TRY, json.dumps(list(others.values()))))
            allowed = _allowed(who, "executor" in pods)
            ways.extend(
                Way(f"{who} -> {name}", name in allowed, error) for name, error in zip(others, errors, strict=True)
            )
        return not any(way.wrong for way in ways)

    with ExitStack() as listening:
        for pod in pods.values():
            listening.enter_context(pod.listening())
        try:
            until("the policies", right, 60 if _ENFORCED in os.environ else 20, 1)
        except TimeoutError:
            if _ENFORCED not in os.environ and not any(way.error for way in ways):
                return None
    return [str(way) for way in ways if way.wrong]


def _allowed(who: str, executors: bool) -> set[str]:
    """What a pod has to reach."""
    if who == "gateway":
        return {"Kafka", "API server", "driver", "submitted"}
    if who == "driver":
        return {"Kafka"} | ({"API server", "executor, 7079", "executor, another port"} if executors else set())
    if who == "executor":
        return {"Kafka"} | {f"driver, {port}" for port in _SPARK}
    if who == "submitted":
        return {"Kafka", "gateway"}
    # Strangers. Nothing keeps them from what has no policy.
    free = {f"{each}, another port" for each in ("beside", "elsewhere", "user", "prometheus")}
    more = {"user": {"gateway"}, "prometheus": {"gateway", "driver", "submitted"}}
    return {"Kafka", "API server"} | free | more.get(who, set())


def _stranger(name: str, label: str, image: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"stranger": label}},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 1,
            "securityContext": {
                "runAsNonRoot": True, "runAsUser": 10001, "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "stranger",
                    "image": image,
                    "command": ["tini", "--", "python", "-c", "import signal; signal.pause()"],
                    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                    "resources": {"limits": {"memory": "256Mi"}, "requests": {"memory": "64Mi", "cpu": "10m"}},
                }
            ],
        },
    }  # fmt: skip
