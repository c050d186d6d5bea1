"""Python in a job's environment on other machines: a bundle and a launcher, which Spark hands out."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
from functools import cache
from typing import TYPE_CHECKING

from datastream.environments import bundle
from datastream.environments.needs import Needs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@cache
def environment_mark() -> str:
    """What an error of a worker's machine begins with that cannot enter an environment of this driver's jobs."""
    return f"datastream environment {secrets.token_hex(16)}: "


class ClusterPython:
    """The files of one job's environment.

    Args:
        needs: What the job brings.
    """

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._key = bundle.key_of(needs)
        self._shipped: str | None = None

    def ship(self, spark: SparkSession, base: str, local: bool, folder: str) -> str:
        """Hand the files to the workers of a session; what Spark starts there as Python.

        Args:
            spark: The session.
            base: The Python that is there without an environment.
            local: Whether its workers are on this machine, in Java's own process.
            folder: The run's, which is the working directory of the driver's Java: executors find the files in theirs.
        """
        context = spark.sparkContext
        packed, launcher = f"datastream-bundle-{self._key}.zip", f"datastream-python-{self._key}"
        script = os.path.join(folder, launcher)
        if self._shipped != context.applicationId:
            place = os.path.join(folder, packed)
            if not os.path.exists(place):
                bundle.write(self._needs, self._key, "{}.{}".format(*sys.version_info), environment_mark(), place)
            with open(script, "w") as out:
                out.write(f'#!/bin/sh\nexec {shlex.quote(base)} -I -S "${{0%/*}}/{packed}" "$@"\n')
            os.chmod(script, 0o755)
            if not local:
                context.addFile(place)
                context.addFile(script)
            self._shipped = context.applicationId
        return script if local else f"./{launcher}"
