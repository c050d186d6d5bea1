"""How a process gets into an environment; run as a program, it then runs a module there.

python enter.py ENVIRONMENT -m MODULE ARGUMENT ...
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import site
import sys
from pathlib import Path
from typing import Any

#: The folder of the distributed cache, for functions.
CACHE = "DATASTREAM_CACHED_FILES"
#: The folder that functions run in.
_WORK = "DATASTREAM_WORK_FOLDER"
#: The file of the environment that a process has entered with all its modules.
ENTERED = "DATASTREAM_ENVIRONMENT"


def enter(environment: dict[str, Any]) -> None:
    """Make this process one of an environment.

    Args:
        environment: What `Environment.write` has written.
    """
    before = list(sys.path)
    for folder in environment["path"]:
        if os.path.isdir(folder):
            site.addsitedir(folder)  # with the .pth files of its packages
        else:
            sys.path.append(folder)
    added = [entry for entry in sys.path if entry not in before]
    sys.path[:] = [*added, *before, *(entry for entry in environment["behind"] if entry not in before)]
    os.environ.update(own_variables(environment))


def work() -> None:
    """Go to the folder that functions run in, if there is one.

    On other machines Spark names its archives of modules by relative paths, so these must be there too.
    """
    folder = os.environ.get(_WORK)
    if not folder or os.path.realpath(folder) == os.getcwd():
        return
    for entry in sys.path:
        if not os.path.isabs(entry) and os.path.isfile(entry):
            with contextlib.suppress(FileExistsError):
                os.symlink(os.path.abspath(entry), os.path.join(folder, entry))
    os.chdir(folder)


def own_variables(environment: dict[str, Any]) -> dict[str, str]:
    """The variables of processes in an environment that differ from those of others."""
    found: dict[str, str] = {}
    if environment["packages"]:
        programs = os.path.join(environment["packages"], "bin")
        found["PATH"] = os.pathsep.join(filter(None, [programs, os.environ.get("PATH")]))
    if environment["cache"]:
        found[CACHE] = environment["cache"]
    if environment["work"]:
        found[_WORK] = environment["work"]
    return found


def main() -> None:
    """Run a module in an environment, as ``python -m`` does.

    Raises:
        SystemExit: This is another Python than the job's.
    """
    environment = json.loads(Path(sys.argv[1]).read_text())
    module, *arguments = sys.argv[3:]
    here = "{}.{}".format(*sys.version_info)
    if here != environment["minor"]:
        raise SystemExit(
            f"its Python is {here}, and the driver's is {environment['minor']}: functions are pickled by code, which "
            "another minor version cannot run"
        )
    del sys.path[0]  # the folder of this file
    os.environ[ENTERED] = os.path.abspath(sys.argv[1])
    enter(environment)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
