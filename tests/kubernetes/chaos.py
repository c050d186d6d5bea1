"""Seeded runs of the flights job from Kafka to Kafka, while pods of all kinds are deleted."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

from tests.kubernetes.check import EXECUTORS, IMAGE, Tell
from tests.kubernetes.flights import Flights, kafka, load, values
from tests.kubernetes.namespace import Namespace, Object

#: Small, so that faults find the job at work.
_EPOCH_RECORDS = 250
_GATEWAY = "app.kubernetes.io/component=gateway"


def strikes(flights: Flights, executors: bool) -> dict[str, Callable[[], str]]:
    """What may be done to the pods."""
    now = ("--grace-period=0", "--force")
    found = {
        "delete driver": lambda: flights.delete(flights.drivers),
        "delete driver at once": lambda: flights.delete(flights.drivers, *now),
        "delete kafka": lambda: flights.delete("app.kubernetes.io/name=kafka"),
        "delete kafka at once": lambda: flights.delete("app.kubernetes.io/name=kafka", *now),
        "delete gateway": lambda: flights.delete(_GATEWAY, *now),
        "kill -9 java": lambda: flights.kill(flights.drivers, "java"),
        "kill -9 runner": lambda: flights.kill(flights.drivers, "runner"),
    }
    if executors:
        found["delete executor"] = lambda: flights.delete(flights.executors, *now)
        found["kill -9 executor"] = lambda: flights.kill(flights.executors, "java")
    return found


def chaos(name: str, runs: int, seed: int, tell: Tell, limit_s: float) -> list[str]:
    """The runs; what went wrong, a line each."""
    namespace = Namespace(name)
    namespace.make()
    kafka(namespace, IMAGE)
    gateway = {"jobs": {}, "image": {"tag": "local"}, "gateway": {"persistence": {"size": "1Gi"}, "cpu": "100m"}}
    namespace.install("gateway", gateway)
    claim = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    namespace.kubectl("create", "-f", "-", given=_claim("checkpoints", claim))
    namespace.ready("deployment/gateway-datastream-gateway")
    wrong = []
    for number in range(seed, seed + runs):
        began = time.monotonic()
        problems, story = _run(namespace, number, limit_s)
        line = f"run {number}, {time.monotonic() - began:.0f} s: {'; '.join(story)}"
        tell(f"{'WRONG' if problems else 'exact'}  {line}{': ' * bool(problems)}{'; '.join(problems)}")
        if problems:
            wrong.append(f"{line}: {'; '.join(problems)}")
            tell(namespace.kubectl("logs", "-l", f"datastream/job=run-{number}", "--tail=40", "--prefix"))
    if not wrong:
        namespace.remove()
    return wrong


def _run(namespace: Namespace, number: int, limit_s: float) -> tuple[list[str], list[str]]:
    """One run: what is wrong with its results, and what was done."""
    chance = random.Random(number)
    executors = chance.random() < 0.2
    topic, name = f"chaos-{number}", f"run-{number}"
    load(namespace, IMAGE, topic)
    given = values(IMAGE, _EPOCH_RECORDS)
    job = given["jobs"].pop("flights")
    job["args"] += ["--source", topic]
    job["executors"] = {**EXECUTORS, "enabled": executors}
    given["jobs"][name] = job
    given["gateway"] = {"enabled": False}
    given["checkpoints"] = {"persistence": {"existingClaim": "checkpoints"}}
    namespace.install(name, given)
    flights = Flights(namespace, f"{name}-datastream-{name}", topic, name)
    possible = strikes(flights, executors)
    story = ["executors" if executors else "one pod"]
    try:
        for _ in range(chance.randint(2, 4)):
            what = chance.choice(sorted(possible))
            if chance.random() < 0.8:
                flights.at_work()
            time.sleep(chance.uniform(0, 4))
            before = flights.written()
            possible[what]()
            story.append(f"{what} at {before:,}")
        problems = flights.complete(limit_s)
    except Exception as error:  # the other runs are to come all the same
        problems = [f"{type(error).__name__}: {error}"]
    if not problems:
        namespace.helm("uninstall", name, "--wait", "--timeout", "120s")
    return problems, story


def _claim(name: str, spec: Object) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec})
