"""``datastream shell``: Python with environments and the usual names, as PyFlink's ``pyflink-shell.sh``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from .session_options import session_options, take_options

#: As in PyFlink's shell, and what its examples import.
_IMPORTS = """
from pyflink.common import *
from pyflink.datastream import *
from pyflink.table import *
from pyflink.table.catalog import *
from pyflink.table.descriptors import *
from pyflink.table.window import *
from pyflink.table.expressions import col, lit
from pyflink.table.udf import udaf, udf, udtaf, udtf
from pyflink.metrics import *
"""
_ENVIRONMENTS = """
env = s_env = StreamExecutionEnvironment.get_execution_environment()
t_env = st_env = StreamTableEnvironment.create(env)
b_env = StreamExecutionEnvironment.get_execution_environment()
b_env.set_runtime_mode(RuntimeExecutionMode.BATCH)
bt_env = StreamTableEnvironment.create(b_env)
"""
_BANNER = """datastream {version}, Python {python}
env, t_env    streaming: StreamExecutionEnvironment, StreamTableEnvironment; also s_env, st_env
b_env, bt_env batch
The names of pyflink.common, pyflink.datastream and pyflink.table are imported, and col, lit, udf, udtf, udaf, udtaf."""


@click.command("shell")
@click.option("--no-progress", is_flag=True, help="No progress of jobs and no summaries.")
@session_options
def command(no_progress: bool, **options: Any) -> None:
    """Start Python, or IPython where it is installed, with env and t_env made and the usual names imported."""
    given = take_options(options)
    from datastream.driver.imports import enter_driver
    from datastream.driver.run import listen
    from datastream.errors import ValidationError

    try:
        enter_driver(given)
    except ValidationError as error:
        raise click.UsageError(str(error)) from None
    listen(given, given.log_format or "console", no_progress)
    start(_main_module())


def _main_module() -> ModuleType:
    """A module ``__main__`` with the names of the shell: functions of that module travel to the workers by value."""
    from datastream.compat import install

    install()
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    module = ModuleType("__main__")
    exec(_IMPORTS + _ENVIRONMENTS, vars(module))
    sys.modules["__main__"] = module
    return module


def start(module: ModuleType) -> None:
    """Read Python in a module until its end.

    Args:
        module: Has the names that are known.
    """
    from datastream import __version__

    banner = _BANNER.format(version=__version__, python=sys.version.partition(" ")[0])
    if importlib.util.find_spec("IPython") is not None and sys.stdin.isatty():
        IPython = importlib.import_module("IPython")
        click.echo(banner)
        IPython.start_ipython(argv=["--no-banner"], user_ns=vars(module))
        return
    import code
    import rlcompleter

    try:
        import readline
    except ImportError:
        pass  # a Python without it reads plain lines
    else:
        readline.set_completer(rlcompleter.Completer(vars(module)).complete)
        readline.parse_and_bind("tab: complete")
    code.interact(banner, local=vars(module), exitmsg="")
