"""``datastream run --master k8s://...``: the driver is a pod of the cluster, and this command follows it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from datastream.config.run_options import RunOptions, options_of
from datastream.config.settings import Settings
from datastream.driver.failures import CANCELLED, FAILED, INVALID, exit_code, report
from datastream.driver.interrupt import two_steps
from datastream.driver.logs import configure
from datastream.errors import DataStreamError, ValidationError
from datastream.kubernetes.cluster import Cluster, ClusterAway, ClusterRefused
from datastream.kubernetes.driver_pod import GRACE_S, JOB, SECRET_BYTES, SETTINGS, DriverPod, read_template
from datastream.kubernetes.log_lines import split_lines
from datastream.kubernetes.pod_state import PodEnd, end_of, waits_for
from datastream.kubernetes.spark_settings import (
    MASTER,
    driver_pod,
    executor_volumes,
    executors_of,
    server_of,
)

from .log_text import log_text
from .neighbours import neighbours, pack_with_neighbours
from .pod_files import PodFiles

_DRIVER_TEMPLATE = "spark.kubernetes.driver.podTemplateFile"
_EXECUTOR_TEMPLATE = "spark.kubernetes.executor.podTemplateFile"
_EXECUTOR_FILE = "executor.yaml"
_LOOK_S = 1.0
#: A pod that has not started after this time has its warnings shown.
_SLOW_S = 10.0
#: The API may be away for so long before the command gives up; the job goes on.
_AWAY_S = 300.0
#: Options that the runner in the pod has by itself.
_OWN = ("executor", "log-format")
#: Events of the driver's log that are not for people.
_UNSHOWN = ("settings", "epoch", "figures")


@dataclass(frozen=True)
class Submission:
    """What is created in the cluster.

    Attributes:
        pod: The pod.
        secret: Content of its secret.
        driver: What makes both.
    """

    pod: dict[str, Any]
    secret: Mapping[str, bytes]
    driver: DriverPod


def runs_in_pod(given: Settings) -> bool:
    """Whether the driver is to be a pod: with a master on Kubernetes, unless the driver is in one, or is to be here."""
    from datastream.spark.process.kubernetes import in_pod

    here = given.properties.get("spark.submit.deployMode") == "client"
    return (given.master or "").startswith(MASTER) and given.executor == "spark" and not here and not in_pod()


def run_in_pod(given: Settings, script: Path, args: tuple[str, ...], log_format: str, detached: bool) -> int:
    """Run a script in a pod; returns the exit code.

    Args:
        given: The settings.
        script: The job.
        args: Its arguments.
        log_format: ``console`` or ``json``.
        detached: Leave the job to itself once its pod is there.
    """
    given.log_format = log_format
    if log_format == "json":
        configure(log_format, given.verbose)
    namespace, context = (given.properties.get(f"spark.kubernetes.{key}") for key in ("namespace", "context"))
    cluster = Cluster(namespace, context, server_of(given.master or ""))
    try:
        made = submission(given, script, args)
        with two_steps(log_format):
            return _run(cluster, made, log_format, given.verbose, detached)
    except KeyboardInterrupt as error:
        report(error, log_format, given.verbose)
        return CANCELLED
    except DataStreamError as error:
        report(error, log_format, given.verbose)
        return INVALID if isinstance(error, ClusterRefused) and error.status == 422 else exit_code(error)
    finally:
        cluster.close()


def submission(given: Settings, script: Path, args: tuple[str, ...]) -> Submission:
    """The pod and its secret.

    Raises:
        ValidationError: A setting is wrong, the script is too large, or pods would not find the checkpoint.
    """
    stem = re.sub(r"[^a-z0-9]+", "-", (given.name or script.stem).lower()).strip("-")[:40].strip("-") or "job"
    base = f"{stem}-{secrets.token_hex(4)}"
    properties = dict(given.properties)
    executors = executors_of(properties, given.parallelism)
    code, artifact, content = _code(script)
    files = {SETTINGS: SETTINGS, f"artifact/{artifact}": "artifact"}
    data = {"artifact": content}
    if template := properties.get(_EXECUTOR_TEMPLATE):
        read_template(template, _EXECUTOR_TEMPLATE)
        data[_EXECUTOR_FILE] = Path(template).read_bytes()
        files[_EXECUTOR_FILE] = _EXECUTOR_FILE
        properties[_EXECUTOR_TEMPLATE] = f"{JOB}/{_EXECUTOR_FILE}"
    brought = PodFiles()
    properties = brought.take(properties)
    files |= brought.places
    data |= brought.data
    properties |= executor_volumes(properties)
    labels = {
        "app.kubernetes.io/name": "datastream",
        "app.kubernetes.io/component": "driver",
        "app.kubernetes.io/managed-by": "datastream-run",
        "datastream/job": base,
    }
    driver = driver_pod(f"{base}-driver", labels, files, properties, needs_account=executors > 0)
    pod = driver.manifest(read_template(properties.get(_DRIVER_TEMPLATE), _DRIVER_TEMPLATE))
    _check_checkpoint(given.checkpoint_dir, pod, executors)
    master = f"local[{given.parallelism or '*'}]"
    if executors:
        master = MASTER + properties.get("spark.kubernetes.driver.master", "https://kubernetes.default.svc")
        properties["spark.executor.instances"] = str(executors)
        properties.setdefault("spark.kubernetes.executor.podNamePrefix", base)
        properties.setdefault("spark.kubernetes.container.image", driver.image)
    for only_here in ("spark.submit.deployMode", "spark.kubernetes.context", "spark.kubernetes.namespace"):
        properties.pop(only_here, None)
    settings = {
        **code,
        "args": list(args),
        **{name: getattr(given, each.name) for name, each in options_of(RunOptions).items() if name not in _OWN},
        "master": master,
        "properties": properties,
    }
    data[SETTINGS] = json.dumps({key: value for key, value in settings.items() if value is not None}).encode()
    size = sum(map(len, data.values()))
    if size > SECRET_BYTES:
        raise ValidationError(
            f"{script}, the modules beside it and the files that it brings have {size >> 10} KiB, more than the "
            f"{SECRET_BYTES >> 10} KiB that a secret of Kubernetes takes: put them into the image, or name files by "
            "the URI of an object store"
        )
    return Submission(pod, data, driver)


def _code(script: Path) -> tuple[dict[str, str], str, bytes]:
    """The runner's settings that name the job, the name of its file, and the file."""
    beside = neighbours(script)
    if not beside:
        return {"script": f"{JOB}/artifact/{script.name}"}, script.name, script.read_bytes()
    if not script.stem.isidentifier():
        raise ValidationError(
            f"{script} imports {beside[0].name} beside it, and so becomes a module of an archive: give it the name of "
            "a module, such as my_job.py"
        )
    packed = io.BytesIO()
    pack_with_neighbours(script, beside, packed)
    name = f"{script.stem}.zip"
    return {"archive": f"{JOB}/artifact/{name}", "module": script.stem}, name, packed.getvalue()


def _check_checkpoint(folder: str | None, pod: dict[str, Any], executors: int) -> None:
    claim = "spark.kubernetes.driver.volumes.persistentVolumeClaim.checkpoints"
    remedy = (
        f"mount a claim (-D {claim}.options.claimName=NAME -D {claim}.mount.path=/checkpoints --checkpoint-dir "
        "/checkpoints/JOB), or name a directory of an object store, such as s3a://bucket/JOB"
    )
    if folder is None:
        if executors:
            raise ValidationError(f"executors need a checkpoint directory that all pods reach: {remedy}")
        return
    if re.match(r"[A-Za-z][\w+.-]*:", folder):
        return
    (driver,) = (one for one in pod["spec"]["containers"] if one["name"] == "driver")
    places = [Path(one["mountPath"]) for one in driver["volumeMounts"] if one["name"] not in ("job", "tmp")]
    if not any(place == Path(folder) or place in Path(folder).parents for place in places):
        raise ValidationError(f"--checkpoint-dir {folder}: it would be lost with the driver's pod: {remedy}")


def _run(cluster: Cluster, made: Submission, log_format: str, verbose: bool, detached: bool) -> int:
    name = made.driver.name
    namespace = cluster.namespace
    owner = cluster.create_pod(made.pod)
    left = False
    try:
        # The pod waits for it, and takes it along when it is deleted.
        cluster.put_secret(made.driver.secret(made.secret, owner))
        _say(f"pod {name} in namespace {namespace}", log_format)
        if detached:
            left = True
            _say(f"its log: kubectl -n {namespace} logs -f {name}", log_format)
            _say(f"to end it: kubectl -n {namespace} delete pod {name}", log_format)
            return 0
        follower = _Follower(cluster, name, log_format, verbose)
        try:
            end = follower.follow()
        except KeyboardInterrupt:
            cluster.delete_pod(name, GRACE_S)
            follower.follow()
            raise
    except ClusterAway:
        left = True
        _say(f"the job may go on: kubectl -n {namespace} logs -f {name}", log_format)
        raise
    finally:
        if not left:
            with contextlib.suppress(DataStreamError):
                cluster.delete_pod(name, 1)
    if end.reason is not None:
        report(DataStreamError(end.reason), log_format, verbose)
    return FAILED if end.code is None else end.code


class _Follower:
    """Shows a driver's log until its pod has ended."""

    def __init__(self, cluster: Cluster, name: str, log_format: str, verbose: bool) -> None:
        self._cluster, self._name = cluster, name
        self._log_format, self._verbose = log_format, verbose
        #: Time of the last line that was shown: the API ends a log now and then.
        self._shown = ""
        self._told: str | None = None
        self._since = time.monotonic()

    def follow(self) -> PodEnd:
        away_since: float | None = None
        while True:
            try:
                pod = self._cluster.pod(self._name)
                if pod is None:
                    return PodEnd(None, "the driver's pod was deleted")
                end = end_of(pod, "raise spark.driver.memoryOverhead or lower the job's needs")
                if pod["status"].get("phase") == "Pending":
                    self._tell(pod)
                else:
                    self._show(follow=end is None)
                if end is not None:
                    return end
                away_since = None
            except ClusterAway as error:
                away_since = away_since or time.monotonic()
                if time.monotonic() - away_since > _AWAY_S:
                    raise
                self._say_once(str(error))
            time.sleep(_LOOK_S)

    def _tell(self, pod: dict[str, Any]) -> None:
        """Say what the pod waits for."""
        reason = waits_for(pod)
        if reason is None and time.monotonic() - self._since > _SLOW_S:
            reason = next(iter(self._cluster.warnings(self._name)[-1:]), None)
        if reason is not None:
            self._say_once(f"the pod waits: {reason}")

    def _say_once(self, text: str) -> None:
        if text != self._told:
            self._told = text
            _say(text, self._log_format)

    def _show(self, follow: bool) -> None:
        since_s = None
        if self._shown:
            last = datetime.fromisoformat(self._shown[:19]).replace(tzinfo=UTC)
            since_s = int((datetime.now(UTC) - last).total_seconds()) + 60  # clocks differ
        try:
            stream = self._cluster.log(self._name, None, follow, since_s, stamped=True)
        except ClusterRefused as error:
            if error.status not in (400, 404):
                raise
            return  # it has not started, or has gone
        before = self._shown
        try:
            for line in _whole(split_lines(stream)):
                stamp, _, text = line.partition(" ")
                if stamp <= before:
                    continue
                self._shown = stamp
                self._write(text)
        finally:
            stream.close()

    def _write(self, text: str) -> None:
        """What the job prints goes to stdout, what is logged to stderr."""
        entry = None
        if text.startswith("{"):
            with contextlib.suppress(ValueError):
                entry = json.loads(text)
        if not isinstance(entry, dict) or not {"timestamp", "level", "event"} <= entry.keys():
            click.echo(text)
        elif self._log_format == "json":
            click.echo(text, err=True)
        elif self._verbose or entry["event"] not in _UNSHOWN:
            click.echo(log_text(entry), err=True)


def _whole(lines: Iterator[str]) -> Iterator[str]:
    """Lines until the connection ends, in whatever way."""
    import httpx2

    try:
        yield from lines
    except (httpx2.HTTPError, httpx2.StreamError, OSError):
        return


def _say(text: str, log_format: str) -> None:
    if log_format == "json":
        text = json.dumps({"timestamp": datetime.now(UTC).isoformat(), "level": "info", "event": text})
    print(text, file=sys.stderr, flush=True)
