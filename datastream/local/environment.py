"""What a job brings, for functions that run in this very process."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from dataclasses import replace

from datastream.environments.enter import enter
from datastream.environments.environment import make
from datastream.environments.fetch import fetched
from datastream.environments.interpreter import ask
from datastream.environments.needs import EnvironmentRefused, Needs
from datastream.environments.store import Store
from datastream.errors import UnsupportedOperation, ValidationError


def enter_here(needs: Needs) -> None:
    """Make packages, modules and cached files of a job's available in this process.

    Raises:
        UnsupportedOperation: The job wants another interpreter, a container, or a folder of its own.
        ValidationError: Something is missing or does not fit.
    """
    if not needs:
        return
    for wanted, what in (
        (needs.executable, "another interpreter"),
        (needs.container, "workers in a container"),
        (needs.archives, "archives in the functions' folder"),
    ):
        if wanted:
            raise UnsupportedOperation(
                f"the job asks for {what}, and the local executor runs functions in this very process; run it on Spark"
            )
    folder = tempfile.mkdtemp(prefix="datastream-local-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        environment = make(fetched(needs, folder), Store(), folder, ask(sys.executable))
    except EnvironmentRefused as error:
        raise ValidationError(str(error)) from error
    new = tuple(entry for entry in environment.path if entry not in sys.path)
    enter(replace(environment, path=new).as_dict())
