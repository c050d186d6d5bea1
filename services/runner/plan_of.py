"""``python -m datastream.services.runner.plan_of``: the plan of a job as JSON; nothing runs.

The only line of stdout is ``{"plan": ..., "flink": {"nodes": [...]}}``, or ``{"error": message}`` with exit code 2.
What the job's own code prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from datastream.config.settings import PlanCaptured, settings
from datastream.driver.failures import failure_text
from datastream.errors import ValidationError
from datastream.graph import JobGraph, Plan
from datastream.graph.explain import to_json
from datastream.graph.plan_data import plan_data

from .job_code import job_code
from .settings import RunnerSettings

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_WRONG = 2


@click.command(context_settings={"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]})
@click.option("--script", type=_FILE, help="The job: a script.")
@click.option("--archive", type=_FILE, help="The job: an archive, as datastream-runner takes them.")
@click.option("-m", "--module", metavar="PACKAGE.MODULE", help="The archive's module that is the job.")
@click.option("-p", "--parallelism", type=click.IntRange(min=1), help="Default number of subtasks.")
@click.option("--args-from-stdin", is_flag=True, help="ARGS come as a list in JSON: they may hold secrets.")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(
    script: Path | None,
    archive: Path | None,
    module: str | None,
    parallelism: int | None,
    args_from_stdin: bool,
    args: tuple[str, ...],
) -> None:
    """Print the plan of the first job that the code executes, as one line of JSON; ARGS go to the code."""
    if (script is None) == (archive is None):
        raise click.UsageError("give a --script or an --archive")
    if script is not None and module is not None:
        raise click.UsageError("-m names a module of an --archive")
    if args_from_stdin:
        args = tuple(json.load(sys.stdin))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # also for what the code's child processes print
    settings().parallelism = parallelism
    answer, code = answer_of(RunnerSettings(script=script, archive=archive, module=module, args=args))
    sys.stdout.flush()
    out.write(json.dumps(answer, separators=(",", ":")) + "\n")
    out.close()
    sys.exit(code)


def answer_of(job: RunnerSettings) -> tuple[dict[str, Any], int]:
    """What is to be printed of a job, and the exit code."""
    try:
        graph = captured(job)
        plan = Plan.of(graph)
        return {"plan": plan_data(plan), "flink": json.loads(to_json(plan))}, 0
    except (Exception, KeyboardInterrupt) as error:
        return {"error": failure_text(error)}, _WRONG


def captured(job: RunnerSettings) -> JobGraph:
    """Run the job's code up to its first ``execute()``, and take the graph.

    Raises:
        ValidationError: It ended without one.
    """
    found: list[JobGraph] = []
    given = settings()
    given.on_execute = found.append
    what = str(job.archive or job.script)
    ending = ""
    try:
        what, code = job_code(job)
        code()
    except PlanCaptured:
        pass
    except SystemExit as ended:
        ending = f": it ended itself, {ended.code}" if ended.code else ""
    finally:
        given.on_execute = None
    if not found:
        raise ValidationError(f"{what} has no job: it ended without a call of env.execute(){ending}")
    return found[0]


if __name__ == "__main__":
    command.main(prog_name="python -m datastream.services.runner.plan_of")
