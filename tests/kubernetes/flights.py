"""The flights job on the cluster: how far it is, whether its results are right, and what is done to its pods."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaException

from tests.compose.flights import Expected, flights_of_the_table, written
from tests.kubernetes.namespace import Namespace, Object, Refused, until
from tests.support.servers.kafka import Broker

KAFKA = "k8s/components/kafka"
_PORT = 9092
#: Ends a process of a container whose name is given; 1 is tini, and `runner` its child.
_KILL = """
for process in /proc/[0-9]*; do
    read -r name <$process/comm 2>/dev/null || continue
    parent=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' $process/stat 2>/dev/null)
    case $1 in
    runner) [ "$parent" = 1 ] || continue ;;
    *) [ "$name" = "$1" ] || continue ;;
    esac
    kill -9 ${process#/proc/} && exit 0
done
exit 1
"""


@dataclass
class Flights:
    """A flights job.

    Attributes:
        namespace: Where it is.
        job: Beginning of its objects' names: its Deployment's name.
        source: The topic of the flights.
        name: Name of the job in the chart.
        highest: Pod's kind -> the most memory that `measure` has seen, in bytes.
    """

    namespace: Namespace
    job: str
    source: str = "flights"
    name: str = "flights"
    highest: dict[str, int] = field(default_factory=dict)

    @property
    def broker(self) -> Broker:
        """Kafka, wherever its pod is now."""
        return Broker(f"{self.namespace.address('kafka-0')}:{_PORT}")

    def written(self) -> int:
        """How many records the job has committed to its largest topic; -1: Kafka is away."""
        try:
            return written(self.broker, self.source) if self.namespace.address("kafka-0") else -1
        except (KafkaException, OSError, KeyError, Refused):
            return -1

    def progress(self, what: str, limit_s: float = 240) -> float:
        """Wait until the job has committed more than now; the time that it took, in s."""
        until("Kafka", lambda: self.written() >= 0, limit_s)
        before = self.written()
        return until(f"{what}: more than {before:,} committed records", lambda: self.written() > before, limit_s)

    def at_work(self, limit_s: float = 240) -> None:
        """Wait until the job has committed more than now, or all."""
        before = self.written()
        until("more committed records", lambda: before < self.written() or flights_of_the_table() <= before, limit_s)

    def complete(self, limit_s: float, restored: bool = False) -> list[str]:
        """Wait until all results are there; what is wrong with them then.

        Args:
            limit_s: In s.
            restored: Whether the job has started from savepoints.
        """
        deadline = time.monotonic() + limit_s
        expected: Expected | None = None
        problems = ["not looked at"]
        while problems and time.monotonic() < deadline:
            self.measure()
            try:
                expected = expected or Expected(self.broker, self.source, restored)
                count = len(expected.flights)
                # Reading all results takes longer than counting them.
                problems = expected.problems(self.broker, self.source) if self.written() >= count else ["not complete"]
            except (KafkaException, OSError, Refused) as error:
                problems = [str(error)]
            time.sleep(1 if problems else 0)
        if expected is not None and not problems:
            time.sleep(3)  # what is written twice may come later
            problems = expected.problems(self.broker, self.source)
        if problems == ["not complete"]:
            problems = [f"{self.written():,} records are committed after {limit_s:.0f} s"]
        return problems

    @property
    def drivers(self) -> str:
        """Selects the driver's pod."""
        return f"datastream/job={self.name},app.kubernetes.io/component=job"

    @property
    def executors(self) -> str:
        """Selects the executors' pods."""
        return f"datastream/job={self.name},spark-role=executor"

    def delete(self, selector: str, *how: str) -> str:
        """Delete a pod, without waiting for its end; its name."""
        until(f"a pod {selector}", lambda: self.namespace.running(selector), 180)
        pod = self.namespace.running(selector)[0]
        self.namespace.kubectl("delete", "pod", pod, "--wait=false", *how)
        return pod

    def kill(self, selector: str, process: str) -> str:
        """Kill a process in a pod as ``kill -9`` does; the pod's name."""

        def killed() -> bool:
            try:
                (pod, *_) = self.namespace.running(selector)
                self.namespace.kubectl("exec", pod, "--", "sh", "-c", _KILL, "kill", process)
            except (Refused, ValueError):
                return False
            name.append(pod)
            return True

        name: list[str] = []
        until(f"a {process} to kill in {selector}", killed, 180)
        return name[0]

    def measure(self) -> dict[str, int]:
        """Pod -> bytes of memory."""
        now = self.namespace.memory()
        for pod, used in now.items():
            kind = "executor" if "-exec-" in pod else pod.removeprefix(f"{self.job.removesuffix(self.name)}")
            kind = next((one for one in (self.name, "gateway", "kafka", "loader") if kind.startswith(one)), kind)
            self.highest[kind] = max(used, self.highest.get(kind, 0))
        return now


def kafka(namespace: Namespace, image: str) -> None:
    """Start Kafka in a namespace, and write the flights."""
    text = namespace.kubectl("kustomize", KAFKA, of=None)
    namespace.kubectl("apply", "-f", "-", given=text.replace("image: datastream-flights\n", f"image: {image}\n"))
    namespace.ready("statefulset/kafka")
    namespace.kubectl("wait", "--for=condition=complete", "job/loader", "--timeout=180s")


def load(namespace: Namespace, image: str, topic: str) -> None:
    """Write the flights to one more topic."""
    (job,) = [one for one in _objects(namespace) if one["kind"] == "Job"]
    job["metadata"]["name"] = f"load-{topic}"
    container = job["spec"]["template"]["spec"]["containers"][0]
    container["image"] = image
    container["args"] += ["--topic", topic]
    namespace.kubectl("create", "-f", "-", given=json.dumps(job))
    namespace.kubectl("wait", "--for=condition=complete", f"job/load-{topic}", "--timeout=180s")
    namespace.kubectl("delete", "job", f"load-{topic}")


def values(image: str, epoch_records: int, **job: Any) -> Object:
    """Values of the chart for the flights job."""
    repository, _, tag = image.partition(":")
    return {
        "image": {"tag": "local"},
        "jobs": {
            "flights": {
                "image": {"repository": repository, "tag": tag},
                "script": "kafka_job.py",
                "args": ["--bootstrap-servers", "kafka:19092", "--no-live"],
                "parallelism": 2,
                "cpu": "200m",
                "properties": {"datastream.epoch.max-records": epoch_records},
                **job,
            }
        },
    }


def _objects(namespace: Namespace) -> list[Object]:
    import yaml

    return list(yaml.safe_load_all(namespace.kubectl("kustomize", KAFKA, of=None)))
