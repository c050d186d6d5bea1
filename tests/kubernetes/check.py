"""Install, disturb, upgrade, roll back, uninstall: what a release and the manifests have to stand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from tests.compose.flights import flights_of_the_table
from tests.kubernetes.flights import Flights, kafka, values
from tests.kubernetes.namespace import Namespace, Object, until
from tests.kubernetes.policies import Strangers, policy_values, wrong_ways
from tests.kubernetes.profile import refused_pods

Tell = Callable[[str], None]

IMAGE, NEXT_IMAGE = "datastream-flights:local", "datastream-flights:local-2"
_SMALL, _LARGE = 100, 4000
EXECUTORS = {"enabled": True, "cores": 1, "cpu": "200m", "memory": "512Mi", "memoryOverhead": "1Gi"}

_NUMBERS = """
from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors import DataGeneratorSource
env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(lambda number: number, 1 << 40, rate_per_second=5)
env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").print()
env.execute("numbers")
"""
_GET = """
import sys, urllib.request
asked = urllib.request.Request(sys.argv[1], headers={"Authorization": f"Bearer {sys.argv[2]}"})
print(urllib.request.urlopen(asked, timeout=10).read().decode())
"""
_COMMAND = """
import os, pathlib, subprocess, sys
os.environ |= {"DATASTREAM_GATEWAY_URL": sys.argv[1], "DATASTREAM_GATEWAY_TOKEN": sys.argv[2]}
if sys.argv[3]:
    pathlib.Path("/tmp/job.py").write_text(sys.argv[3])
sys.exit(subprocess.run(["datastream", *sys.argv[4:]]).returncode)
"""


class Wrong(Exception):
    """Something is not as it should be."""


def check_chart(tell: Tell, executors: bool, short: bool, limit_s: float) -> Flights:
    """The chart's release from its installation to what it leaves.

    Raises:
        Wrong: Something is not as it should be.
    """
    namespace = Namespace("datastream-check")
    namespace.make()
    _restricted(namespace, tell)
    kafka(namespace, IMAGE)
    job = {"executors": EXECUTORS} if executors else {}
    persistence = {"accessModes": ["ReadWriteMany"], "size": "1Gi"}
    given = values(IMAGE, _SMALL, **job)
    given["checkpoints"] = {"persistence": persistence}
    given["gateway"] = {"persistence": {"size": "1Gi"}, "cpu": "100m", "launcher": {"cpus": "100m"}}
    given |= policy_values(namespace)
    flights = Flights(namespace, "try-datastream-flights")

    began = time.monotonic()
    namespace.install("try", given)
    until("the first committed epoch", lambda: flights.written() > 0, 300)
    tell(f"helm install to the first committed epoch: {time.monotonic() - began:.1f} s")
    namespace.ready("deployment/try-datastream-gateway", f"deployment/{flights.job}")
    tell(f"helm install until all are ready: {time.monotonic() - began:.1f} s")
    namespace.helm("test", "try", "--timeout", "180s")
    tell("helm test passes")

    _strike(flights, tell, "deleted driver pod", lambda: flights.delete(flights.drivers))
    if executors:
        _strike(flights, tell, "deleted executor pod", lambda: flights.delete(flights.executors, "--grace-period=1"))
    if not short:
        _strike(flights, tell, "kill -9 of Java in the driver", lambda: flights.kill(flights.drivers, "java"))
        _strike(flights, tell, "kill -9 of the runner", lambda: flights.kill(flights.drivers, "runner"))
        if executors:
            _strike(flights, tell, "kill -9 in an executor", lambda: flights.kill(flights.executors, "java"))
        _upgrade(flights, tell, given, "parallelism 3", parallelism=3)
        _upgrade(flights, tell, given, "another image", image={"repository": "datastream-flights", "tag": "local-2"})
        began = time.monotonic()
        namespace.helm("rollback", "try", "1")
        _replaced(flights, "helm rollback")
        tell(f"helm rollback to the first revision, to the next committed epoch: {time.monotonic() - began:.1f} s")
    given["jobs"]["flights"]["properties"] = {"datastream.epoch.max-records": _LARGE}
    _upgrade(flights, tell, given, "larger epochs")
    _exact(flights, tell, limit_s, restored=not short)

    _strangers(namespace, flights, tell, executors, short)
    namespace.helm("uninstall", "try", "--wait", "--timeout", "120s")
    kept = {f"PersistentVolumeClaim try-datastream-{name}" for name in ("flights", "gateway", "gateway-jobs")}
    _leaves(namespace, kept, tell, "helm uninstall")
    namespace.remove()
    return flights


def check_manifests(tell: Tell, limit_s: float) -> Flights:
    """``k8s/overlays/local`` as it is.

    Raises:
        Wrong: Something is not as it should be.
    """
    overlay = "k8s/overlays/local"
    namespace = Namespace("datastream")
    flights = Flights(namespace, "datastream-flights")
    began = time.monotonic()
    namespace.kubectl("apply", "-k", overlay, of=None)
    until("the first committed epoch", lambda: flights.written() > 0, 300)
    tell(
        f"kubectl apply -k {overlay} to the first committed epoch, Kafka and its flights too: "
        f"{time.monotonic() - began:.1f} s"
    )
    namespace.ready("deployment/datastream-gateway", "deployment/datastream-flights", "statefulset/kafka")
    _strike(flights, tell, "deleted driver pod", lambda: flights.delete(flights.drivers))
    _strike(flights, tell, "kill -9 of Java in the driver", lambda: flights.kill(flights.drivers, "java"))
    _exact(flights, tell, limit_s)
    namespace.kubectl("delete", "-k", overlay, "--timeout=180s", of=None)
    found = namespace.kubectl("get", "namespace", "datastream", "--ignore-not-found", of=None)
    if found:
        raise Wrong(f"kubectl delete -k leaves the namespace: {found}")
    tell("kubectl delete -k leaves nothing")
    namespace.remove()
    return flights


class _Gateway:
    """The gateway, as a user's pod sees it, with a token that a command has made."""

    def __init__(self, namespace: Namespace, strangers: Strangers, name: str) -> None:
        self._namespace, self._pods = namespace, strangers.pods
        self.address = f"{name}.{namespace.name}.svc:8081"
        create = "datastream-gateway token create --name check --scope write"
        self._token = namespace.kubectl("exec", f"deploy/{name}", "--", *create.split()).split()[-1]

    def ask(self, stranger: str, url: str) -> str:
        """What a stranger reads who shows the token."""
        return self._pods[stranger].python(_GET, url, self._token)

    def lists(self, job: str) -> None:
        """Wait until it shows a job as running."""
        until(f"the gateway shows {job} as running", lambda: self._states().get(job) == "RUNNING", 120)

    def submit(self, name: str, script: str) -> str:
        """Run a job in a pod; what selects the pod."""
        self._command("submit", "--detach", "--name", name, "/tmp/job.py", script=script)
        self.lists(name)
        return "app.kubernetes.io/managed-by=datastream-gateway"

    def cancel(self, name: str, selector: str) -> None:
        """End it, and wait until its pod is gone."""
        self._command("jobs", "cancel", name)
        until(f"the end of {name}'s pod", lambda: not self._namespace.get("pods", selector), 60)

    def _states(self) -> dict[str, str]:
        answer = json.loads(self.ask("user", f"http://{self.address}/jobs/overview"))
        return {job["name"]: job["state"] for job in answer["jobs"]}

    def _command(self, *words: str, script: str = "") -> None:
        self._pods["user"].python(_COMMAND, f"http://{self.address}", self._token, script, *words)


def _strangers(namespace: Namespace, flights: Flights, tell: Tell, executors: bool, short: bool) -> None:
    """What pods reach that are not of the release."""
    strangers = Strangers(namespace, IMAGE)
    gateway = _Gateway(namespace, strangers, "try-datastream-gateway")
    gateway.lists("flights")
    tell("the gateway shows the job as running")
    selectors = {"gateway": "app.kubernetes.io/component=gateway", "driver": flights.drivers}
    if executors:
        selectors["executor"] = flights.executors
    if not short:
        selectors["submitted"] = gateway.submit("numbers", _NUMBERS)
    _policies(namespace, strangers, selectors, tell)
    for service in (f"{flights.job}.{namespace.name}.svc:9249", gateway.address):
        if "\ndatastream_" not in gateway.ask("prometheus", f"http://{service}/metrics"):
            raise Wrong(f"no metrics at {service}")
    tell("Prometheus reads the metrics of job and gateway")
    if not short:
        gateway.cancel("numbers", selectors["submitted"])
    strangers.remove()


def _policies(namespace: Namespace, strangers: Strangers, selectors: dict[str, str], tell: Tell) -> None:
    wrong = wrong_ways(namespace, strangers, selectors)
    if wrong is None:
        tell("NOT tried: no network plugin enforces the network policies here")
        return
    if wrong:
        raise Wrong(f"network policies: {'; '.join(wrong)}")
    tell(f"network policies: {', '.join((*selectors, 'strangers'))} reach what they need, and nothing else")


def _restricted(namespace: Namespace, tell: Tell) -> None:
    refused, count = refused_pods(namespace)
    if refused:
        raise Wrong(f"the API server refuses pods in a restricted namespace: {'; '.join(refused)}")
    tell(f"the API server takes the {count} kinds of pods of chart and manifests in a restricted namespace")


def _strike(flights: Flights, tell: Tell, what: str, strike: Callable[[], str]) -> None:
    flights.progress("at work")
    flights.measure()
    began = time.monotonic()
    pod = strike()
    if what.startswith("deleted"):  # until it is gone, the one that is deleted may commit its last epoch
        until(f"the end of {pod}", lambda: not flights.namespace.has(pod), 120)
    flights.progress(what)
    tell(f"{what}: the next epoch was committed {time.monotonic() - began:.1f} s later ({flights.written():,} records)")


def _upgrade(flights: Flights, tell: Tell, given: Object, what: str, **job: object) -> None:
    given["jobs"]["flights"].update(job)
    began = time.monotonic()
    flights.namespace.install("try", given, verb="upgrade")
    _replaced(flights, what)
    tell(f"helm upgrade, {what}: the next epoch was committed {time.monotonic() - began:.1f} s later")


def _replaced(flights: Flights, what: str) -> None:
    flights.namespace.ready(f"deployment/{flights.job}")
    flights.measure()
    if flights.written() < flights_of_the_table():
        flights.progress(what)


def _exact(flights: Flights, tell: Tell, limit_s: float, restored: bool = False) -> None:
    problems = flights.complete(limit_s, restored)
    if problems:
        raise Wrong("; ".join(problems))
    tell("the results in Kafka are those of the batch computation, each record once")


def _leaves(namespace: Namespace, kept: set[str], tell: Tell, what: str) -> None:
    before = {"StatefulSet kafka", "Service kafka", "Pod kafka-0", "Job loader", "PersistentVolumeClaim data-kafka-0"}

    def left() -> set[str]:
        return {
            one
            for one in namespace.left() - before
            if not one.startswith(("ControllerRevision kafka", "Pod loader", "EndpointSlice kafka"))
        }

    try:
        until(what, lambda: left() == kept, 60, 1)
    except TimeoutError:
        raise Wrong(f"{what}: {sorted(left())} are left, {sorted(kept)} expected") from None
    tell(f"{what} leaves {', '.join(sorted(kept))}")
