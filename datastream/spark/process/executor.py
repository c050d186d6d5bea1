"""The main process of an executor's pod: what Spark's scheduler for Kubernetes starts by the argument ``executor``.

The scheduler gives everything else by environment variables, as to the entrypoint of Apache's own image.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from . import archive, java_log
from .java import Java, find_java

#: What the scheduler calls the program by.
ARGUMENT = "executor"

_MAIN = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
_OPTION = re.compile(r"SPARK_JAVA_OPT_(\d+)")
_ARGUMENTS = {
    "--driver-url": "SPARK_DRIVER_URL",
    "--executor-id": "SPARK_EXECUTOR_ID",
    "--cores": "SPARK_EXECUTOR_CORES",
    "--app-id": "SPARK_APPLICATION_ID",
    "--hostname": "SPARK_EXECUTOR_POD_IP",
    "--resourceProfileId": "SPARK_RESOURCE_PROFILE_ID",
    "--podName": "SPARK_EXECUTOR_POD_NAME",
}


def main() -> None:
    """Become the executor. Never returns.

    Raises:
        SystemExit: The scheduler's variables are not there.
        JavaError: There is no Java.
    """
    missing = [name for name in (*_ARGUMENTS.values(), "SPARK_EXECUTOR_MEMORY") if not os.environ.get(name)]
    if missing:
        raise SystemExit(
            f"{ARGUMENT}: there is no variable {missing[0]}: Spark's scheduler for Kubernetes starts executors, with "
            "their settings in the environment"
        )
    java = find_java()
    # Spark puts the files that it fetches into the working directory; the image's own may be read-only.
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
    os.chdir(folder)
    log = Path(folder, "log4j2.properties")
    log.write_text(java_log.configuration(java_log.STANDARD_ERROR, "json", local=False))
    os.execv(java.executable, command(java, os.environ, log))


def command(java: Java, variables: Mapping[str, str], log: Path) -> list[str]:
    """The executor's command line.

    Args:
        java: The Java.
        variables: The environment.
        log: Configuration of its log, unless the settings name one.
    """
    options = {int(found[1]): text for name, text in variables.items() if (found := _OPTION.fullmatch(name))}
    own = [options[number] for number in sorted(options)]
    memory = variables["SPARK_EXECUTOR_MEMORY"]
    return [
        java.executable,
        *archive.options(java, " ".join(own)),
        f"-Dlog4j2.configurationFile={log}",
        *own,
        f"-Xms{memory}",
        f"-Xmx{memory}",
        "-cp",
        os.pathsep.join(class_path(variables)),
        _MAIN,
        *(part for name, variable in _ARGUMENTS.items() for part in (name, variables[variable])),
    ]


def class_path(variables: Mapping[str, str]) -> list[str]:
    """Spark's jars and what the settings add. Those of the class archive come first, as Java wants it."""
    archived = archive.jars()
    others = [jar for jar in archive.jars(whole=True) if jar not in set(archived)]
    added = variables.get("SPARK_EXTRA_CLASSPATH")
    folders = [variables.get(name, "") for name in ("HADOOP_CONF_DIR", "SPARK_CONF_DIR")]
    return [*([added] if added else []), *archived, *others, *filter(os.path.isdir, folders)]
