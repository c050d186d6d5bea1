"""The Python that Spark starts for one job: in the job's environment, if it has one."""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from datastream import package
from datastream.environments import docker
from datastream.environments.environment import Environment, make, modules_of
from datastream.environments.fetch import fetched
from datastream.environments.interpreter import Interpreter, ask
from datastream.environments.needs import Container, EnvironmentRefused, Needs
from datastream.environments.store import Store, place
from datastream.errors import ValidationError, WorkerError

from .cluster_python import ClusterPython
from .zygote import MODULES, OUTPUTS
from .zygote_process import Outputs, Zygote, python_path, write_launcher

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .gateway import Gateway

_ENTER = Path(package.FOLDER, "environments", "enter.py")
_START_S = 120
_POLL_S = 0.01
_NOT_ELSEWHERE = (
    "workers in containers are started on this machine, beside Spark's own Java; for workers elsewhere use executors "
    "whose image holds what the job needs, or bring packages and archives\n"
    "  leave out --py-env docker, or --master"
)


class JobPython:
    """Makes the environment, while Java starts, and the processes in it.

    Args:
        needs: What the job brings.
        folder: The job's own.
        local: Whether the workers are on this machine.
        places: Folders that a container sees, and may write to: those of the job's files.
    """

    def __init__(self, needs: Needs, folder: str, local: bool, places: tuple[str, ...] = ()) -> None:
        self._needs, self._folder, self._local, self._places = needs, folder, local, places
        self._made: Future[Environment] = Future()
        self._zygote: Zygote | None = None
        self._container: _ContainerZygote | None = None
        self._cluster: ClusterPython | None = None
        self._worked = False
        if needs:
            threading.Thread(target=self._make, name="datastream-environment", daemon=True).start()

    def _make(self) -> None:
        try:
            if self._needs.container is not None:
                if not self._local:
                    raise EnvironmentRefused(_NOT_ELSEWHERE)
                docker.check(self._needs.container)
            self._needs = fetched(self._needs, self._folder)
            self._made.set_result(make(self._of_machine, Store(), self._folder, this_python()))
        except BaseException as error:
            self._made.set_exception(error)

    @property
    def _of_machine(self) -> Needs:
        """What is made on this machine: the interpreter of a container is in its image."""
        return self._needs if self._needs.container is None else replace(self._needs, executable=None)

    @property
    def path(self) -> tuple[str, ...]:
        """Where workers on this machine look for modules first; empty: where the driver does.

        What lies beside the script, what the job brings, and then other folders that the script imports from.
        """
        if not self._needs:
            return ()
        folders = user_folders()
        return tuple(dict.fromkeys([*folders[:1], *self._made.result().path, *folders]))

    def for_query(self, spark: SparkSession, gateway: Gateway | None, base: str, folder: str) -> str | None:
        """What Spark starts as Python for the query that is put together now; None: what it starts for all.

        Args:
            spark: Its session.
            gateway: Java with a zygote beside it; None: it was started otherwise.
            base: What Spark starts as Python for other jobs.
            folder: The run's.

        Raises:
            ValidationError: The environment cannot be made of what the job brings.
            WorkerError: It could be made before, and cannot now.
        """
        if not self._needs:
            return None
        try:
            environment = self._made.result()
            if gateway is not None and gateway.zygote is not None and self._local:
                return self._beside(gateway, gateway.zygote, environment)
            if self._needs.container is not None:
                raise EnvironmentRefused(_NOT_ELSEWHERE)
            if self._cluster is None:
                self._cluster = ClusterPython(self._needs)
            return self._cluster.ship(spark, base, self._local, folder)
        except EnvironmentRefused as error:
            if self._worked:  # the engine, or the image, has gone since
                raise WorkerError(str(error), transient=True) from error
            raise ValidationError(str(error)) from error

    def _beside(self, gateway: Gateway, zygote: Zygote, environment: Environment) -> str:
        """Processes that are forks: of the zygote for all jobs where that has imported nothing that the job brings."""
        file = environment.write(os.path.join(self._folder, "environment.json"))
        name = f"python-{os.path.basename(self._folder)}"
        launcher = os.path.join(gateway.folder, name)
        wanted = self._needs.container
        if wanted is not None:
            container = self._container
            if container is None or not _works(container):
                self.close()
                container = self._container = self._contained(wanted, gateway, environment, file)
                self._worked = True
            return write_launcher(launcher, container.path, contained=True)
        if environment.same and not modules_of(environment) & zygote.modules():
            return write_launcher(launcher, zygote.path, enter=file)
        own = self._zygote
        if own is None or not _works(own):
            self.close()
            own = self._zygote = Zygote(gateway.folder, _short(name), gateway.outputs, (environment.python, file))
            if not own.modules(_START_S):  # Spark gives its processes 10 s to start
                raise EnvironmentRefused(
                    f"no worker could be started with {environment.python} in the job's environment: it "
                    f"{'does not get ready' if own.alive else 'has ended; what it said is above'}"
                )
        return own.launcher

    def _contained(
        self, container: Container, gateway: Gateway, environment: Environment, file: str
    ) -> _ContainerZygote:
        own = this_python()
        replace(environment, behind=own.packages).write(file)
        return _ContainerZygote(
            gateway.folder,
            _short(f"container-{time.monotonic_ns()}"),
            gateway.outputs,
            lambda path: docker.RunningContainer(
                container,
                self._needs.executable or "python3",
                [str(_ENTER), file, "-m", "datastream.spark.process.zygote", path, "-1", "-1"],
                [gateway.folder, self._folder, os.getcwd(), *self._places],
                [*package.folders(), *own.packages, str(Store().root), *user_folders()],
                {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": python_path(gateway.folder)},
            ),
        )

    def close(self) -> None:
        """End the job's own processes. Safe to call twice."""
        zygote, self._zygote = self._zygote, None
        container, self._container = self._container, None
        for own in (zygote, container):
            if own is not None:
                own.stop()


class _ContainerZygote:
    """A zygote in a container.

    Args:
        folder: The run's.
        name: Of its socket there.
        outputs: What functions print and log goes there.
        start: Starts the container, given the socket's path.

    Raises:
        EnvironmentRefused: The container has ended, or does not come up.
    """

    def __init__(
        self, folder: str, name: str, outputs: Outputs, start: Callable[[str], docker.RunningContainer]
    ) -> None:
        self.path = os.path.join(folder, name)
        self._container = start(self.path)
        deadline = time.monotonic() + _START_S
        while not os.path.exists(self.path + MODULES):  # it has imported all that it needs
            if not self._container.alive or time.monotonic() > deadline:
                late = "" if not self._container.alive else f" within {_START_S} s"
                if late:
                    self._container.stop()
                why = self._container.why()
                raise EnvironmentRefused(
                    f"no worker could be started in a container of the image {self._container.container.image}{late}: "
                    f"{why}"
                )
            time.sleep(_POLL_S)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            request = f'{{"arguments": ["{OUTPUTS}"]}}'.encode()
            socket.send_fds(connection, [struct.pack("!i", len(request))], list(outputs.descriptors))
            connection.sendall(request)

    @property
    def alive(self) -> bool:
        return self._container.alive

    def stop(self) -> None:
        self._container.stop()


def _works(zygote: Zygote | _ContainerZygote) -> bool:
    """Whether a zygote lives, and its folder does: that goes with a Java that has ended."""
    return zygote.alive and os.path.exists(os.path.dirname(zygote.path))


def this_python() -> Interpreter:
    """The interpreter that runs this."""
    return ask(sys.executable)


def user_folders() -> list[str]:
    """Where Python looks for modules of the user's own: neither the interpreter's folders nor installed packages."""
    prefixes = tuple(f"{os.path.realpath(prefix)}{os.sep}" for prefix in (sys.prefix, sys.base_prefix))
    kept = f"{os.path.realpath(place())}{os.sep}"  # what workers get in another order
    folders = [entry or os.getcwd() for entry in sys.path]
    others = (*prefixes, kept)
    return [entry for entry in folders if not os.path.realpath(entry).startswith(others) and os.path.exists(entry)]


def _short(name: str) -> str:
    """A name that fits into a socket's path."""
    return name[-24:]
