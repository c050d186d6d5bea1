"""Install, disturb, upgrade, roll back, uninstall: what a release and the manifests have to stand."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable

from tests.compose.flights import flights_of_the_table
from tests.kubernetes.flights import Flights, kafka, values
from tests.kubernetes.namespace import Namespace, Object, until

Tell = Callable[[str], None]

IMAGE, NEXT_IMAGE = "datastream-flights:local", "datastream-flights:local-2"
_SMALL, _LARGE = 100, 4000
EXECUTORS = {"enabled": True, "cores": 1, "cpu": "200m", "memory": "512Mi", "memoryOverhead": "1Gi"}


class Wrong(Exception):
    """Something is not as it should be."""


def check_chart(tell: Tell, executors: bool, short: bool, limit_s: float) -> Flights:
    """The chart's release from its installation to what it leaves.

    Raises:
        Wrong: Something is not as it should be.
    """
    namespace = Namespace("datastream-check")
    namespace.make()
    kafka(namespace, IMAGE)
    job = {"executors": EXECUTORS} if executors else {}
    persistence = {"accessModes": ["ReadWriteMany"], "size": "1Gi"}
    given = values(IMAGE, _SMALL, **job)
    given["checkpoints"] = {"persistence": persistence}
    given["gateway"] = {"persistence": {"size": "1Gi"}, "cpu": "100m"}
    flights = Flights(namespace, "try-datastream-flights")

    began = time.monotonic()
    namespace.install("try", given)
    until("the first committed epoch", lambda: flights.written() > 0, 300)
    tell(f"helm install to the first committed epoch: {time.monotonic() - began:.1f} s")
    namespace.ready("deployment/try-datastream-gateway", f"deployment/{flights.job}")
    tell(f"helm install until all are ready: {time.monotonic() - began:.1f} s")
    namespace.helm("test", "try", "--timeout", "180s")
    tell("helm test passes")
    _listed(namespace, "try-datastream-gateway", tell)

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


def _listed(namespace: Namespace, gateway: str, tell: Tell) -> None:
    """The gateway shows the job, with a token that a command has made."""
    made = namespace.kubectl(
        "exec", f"deploy/{gateway}", "--", "datastream-gateway", "token", "create", "--name", "check"
    ).split()[-1]
    address = namespace.kubectl("get", "service", gateway, "-o", "jsonpath={.spec.clusterIP}:{.spec.ports[0].port}")

    def listed() -> bool:
        asked = urllib.request.Request(f"http://{address}/jobs/overview", headers={"Authorization": f"Bearer {made}"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            states = {job["name"]: job["state"] for job in json.load(answer)["jobs"]}
        return states.get("flights") == "RUNNING"

    until("the gateway shows the job as running", listed, 60)
    tell("the gateway shows the job as running")


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
