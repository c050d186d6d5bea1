"""What Spark's scheduler for Kubernetes starts, and what a driver in a pod tells it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from datastream.spark.process import archive, kubernetes
from datastream.spark.process.executor import class_path, command
from datastream.spark.process.java import find_java

GIVEN = {
    "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@10.0.0.1:7078",
    "SPARK_EXECUTOR_ID": "3",
    "SPARK_EXECUTOR_CORES": "2",
    "SPARK_EXECUTOR_MEMORY": "1024m",
    "SPARK_APPLICATION_ID": "spark-1",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.2",
    "SPARK_EXECUTOR_POD_NAME": "orders-exec-3",
    "SPARK_RESOURCE_PROFILE_ID": "0",
    "SPARK_JAVA_OPT_10": "-Dtenth=x",
    "SPARK_JAVA_OPT_2": "-Dspark.driver.port=7078",
}


def test_an_executor_gets_what_the_scheduler_says() -> None:
    line = command(find_java(), GIVEN, Path("/tmp/log4j2.properties"))
    assert line[line.index("-cp") + 2 :] == [
        "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend",
        *("--driver-url", "spark://CoarseGrainedScheduler@10.0.0.1:7078", "--executor-id", "3", "--cores", "2"),
        *("--app-id", "spark-1", "--hostname", "10.0.0.2", "--resourceProfileId", "0", "--podName", "orders-exec-3"),
    ]
    assert line.index("-Dspark.driver.port=7078") < line.index("-Dtenth=x")
    assert "-Xmx1024m" in line


def test_an_executor_has_all_of_sparks_jars_those_of_the_class_archive_first(tmp_path: Path) -> None:
    found = class_path({"SPARK_CONF_DIR": "/no/such/folder", "HADOOP_CONF_DIR": str(tmp_path)})
    assert found[: len(archive.jars())] == archive.jars()
    assert set(found) == {*archive.jars(whole=True), str(tmp_path)}
    assert any("spark-kubernetes" in jar for jar in found)
    assert class_path({"SPARK_EXTRA_CLASSPATH": "/more/*"})[0] == "/more/*"


def test_the_entrypoint_becomes_an_executor(tmp_path: Path) -> None:
    """A Java that prints its arguments stands for the real one."""
    java = tmp_path / "java"
    (java / "bin").mkdir(parents=True)
    (java / "release").write_text('JAVA_VERSION="17.0.1"\nMODULES="java.base"\n')
    (java / "bin" / "java").write_text('#!/bin/sh\npwd\necho "$@"\n')
    (java / "bin" / "java").chmod(0o755)
    folder = tmp_path / "local"
    folder.mkdir()
    variables = {**os.environ, **GIVEN, "JAVA_HOME": str(java), "SPARK_LOCAL_DIRS": f"{folder},/elsewhere"}
    entry = [sys.executable, "-P", "-m", "datastream.services.runner", "executor"]
    said = subprocess.run(entry, env=variables, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == str(folder) and "KubernetesExecutorBackend --driver-url" in said[1]
    del variables["SPARK_DRIVER_URL"]
    alone = subprocess.run(entry, env=variables, capture_output=True, text=True)
    assert alone.returncode == 1 and "no variable SPARK_DRIVER_URL" in alone.stderr


def test_a_driver_in_a_pod_has_executors_without_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/tmp")
    found = kubernetes.settings_in_pod(tmp_path)
    assert found["spark.driver.host"] == "127.0.0.1" and found["spark.kubernetes.driver.pod.name"]
    pod = json.loads(Path(found[kubernetes.TEMPLATE]).read_text())["spec"]
    assert pod["securityContext"]["runAsUser"] == os.getuid() and not pod["automountServiceAccountToken"]
    assert pod["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not pod["volumes"]  # Spark mounts one at /tmp
    monkeypatch.delenv("SPARK_LOCAL_DIRS")
    found = kubernetes.settings_in_pod(tmp_path)
    assert [one["name"] for one in json.loads(Path(found[kubernetes.TEMPLATE]).read_text())["spec"]["volumes"]] == [
        "tmp"
    ]


def test_what_the_cluster_refuses(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    assert kubernetes.refusal("java.lang.IllegalStateException: x", log) is None
    log.write_text("ERROR something else\n")
    assert kubernetes.refusal("java.lang.IllegalStateException: x", log) is None
    said = (
        "io.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST at: "
        'https://kubernetes.default.svc/api/v1/namespaces/a/pods. Message: pods "x" is forbidden: exceeded quota: small'
        ". Received status: Status(apiVersion=v1, code=403)"
    )
    expected = 'Kubernetes refuses: pods "x" is forbidden: exceeded quota: small'
    assert kubernetes.refusal(f"SparkException\nCaused by: {said}", log) == expected
    log.write_text(json.dumps({"exception": said}))
    assert kubernetes.refusal("java.lang.IllegalStateException: x", log) == expected
