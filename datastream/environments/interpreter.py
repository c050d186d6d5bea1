"""What an interpreter is: asked once, by running it."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from dataclasses import dataclass

from .needs import EnvironmentRefused

_ASK = """
import json, sys, sysconfig, os, site
paths = sysconfig.get_paths()
print(json.dumps([sys.executable, list(sys.version_info[:3]), sys.implementation.name, sysconfig.get_platform(),
    sysconfig.get_config_var("SOABI") or "", list(dict.fromkeys(p for p in sys.path if "-packages" in p))]))
"""
_LIMIT_S = 60


@dataclass(frozen=True)
class Interpreter:
    """An interpreter.

    Attributes:
        executable: Its path.
        version: Such as (3, 11, 7).
        implementation: Such as ``cpython``.
        platform: Such as ``linux-x86_64``.
        abi: What compiled packages must fit, such as ``cpython-311-x86_64-linux-gnu``.
        packages: The folders of its packages.
    """

    executable: str
    version: tuple[int, int, int]
    implementation: str
    platform: str
    abi: str
    packages: tuple[str, ...]

    @property
    def minor(self) -> str:
        """The version without its last number, such as 3.11."""
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def kind(self) -> str:
        """What a package must fit."""
        return f"{self.implementation}-{self.minor}-{self.platform}-{self.abi}"


@functools.lru_cache
def ask(executable: str) -> Interpreter:
    """What an interpreter is.

    Args:
        executable: A path, or a name on ``PATH``.

    Raises:
        EnvironmentRefused: There is none, or it does not run.
    """
    found = shutil.which(executable)
    if found is None:
        why = "is no program that can be run" if os.path.exists(executable) else "does not exist"
        raise EnvironmentRefused(f"the interpreter {executable} {why}")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        answer = subprocess.run(
            [found, "-I", "-c", _ASK], capture_output=True, text=True, timeout=_LIMIT_S, env=variables, check=True
        )
        executable_, version, implementation, platform, abi, packages = json.loads(answer.stdout)
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout or "").strip().splitlines()
        raise EnvironmentRefused(
            f"the interpreter {executable} does not run: {said[-1] if said else f'it ended with {error.returncode}'}"
        ) from error
    except (OSError, subprocess.TimeoutExpired, ValueError, TypeError) as error:
        raise EnvironmentRefused(f"{executable} is no interpreter of Python: {error}") from error
    return Interpreter(executable_ or found, tuple(version), implementation, platform, abi, tuple(packages))


def check(found: Interpreter, driver: str, what: str) -> None:
    """Refuse an interpreter that cannot read what the driver pickles.

    Args:
        found: The interpreter.
        driver: The driver's version, such as 3.11.
        what: Where the interpreter comes from, for the message.

    Raises:
        EnvironmentRefused: It has another minor version, or is no CPython.
    """
    if found.implementation != "cpython" or found.minor != driver:
        is_ = found.minor if found.implementation == "cpython" else f"{found.implementation} {found.minor}"
        raise EnvironmentRefused(
            f"the workers' Python is {is_} ({what}), the driver's is {driver}: functions are pickled by code, which "
            f"another minor version cannot run\n  start the job with Python {found.minor}, or give the workers {driver}"
        )
