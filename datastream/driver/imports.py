"""What a job brings for its functions, importable for its script too."""

from __future__ import annotations

import sys
import tempfile

from datastream.config import Configuration
from datastream.config.python_settings import ARCHIVES, FILES, PYTHON_PATH, REQUIREMENTS, absolute, needs_of
from datastream.config.settings import Settings
from datastream.errors import ValidationError


def enter_driver(given: Settings, install: bool = True) -> None:
    """Make importable for the script what was named for its functions: modules first, packages last.

    Args:
        given: The settings.
        install: Whether packages are installed; else they count only where they are.

    Raises:
        ValidationError: Something is missing or does not fit.
    """
    given.properties.update(absolute(given.properties))
    if not any(given.properties.get(key) for key in (FILES, REQUIREMENTS, PYTHON_PATH, ARCHIVES)):
        return
    from datastream.environments.environment import check_paths, driver_path
    from datastream.environments.fetch import fetched
    from datastream.environments.interpreter import ask
    from datastream.environments.needs import EnvironmentRefused, Needs
    from datastream.environments.packages import own_needs
    from datastream.environments.store import Store

    asked = needs_of(Configuration.from_dict(given.properties))
    wanted = Needs(asked.files, asked.requirements, asked.wheels, constraints=own_needs() if asked.requirements else ())
    if asked.container is not None or asked.executable is not None:
        # What functions import is not what the script can: another interpreter installs packages of its own.
        wanted = Needs(asked.files)
    try:
        check_paths(asked)
        with tempfile.TemporaryDirectory(prefix="datastream-fetched-") as folder:
            files, packages = driver_path(fetched(wanted, folder), Store(), ask(sys.executable), install)
    except EnvironmentRefused as error:
        raise ValidationError(str(error)) from error
    sys.path[1:1] = [file for file in files if file not in sys.path]
    sys.path += [folder for folder in packages if folder not in sys.path]
