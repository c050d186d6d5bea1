"""``datastream plan``: show a job's plan; nothing runs."""

from __future__ import annotations

import ast
import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from datastream.config.settings import PlanCaptured, settings
from datastream.graph import JobGraph, Plan

SUFFIXES = {".txt": "text", ".json": "json", ".svg": "svg"}


@click.command("plan", context_settings={"allow_interspersed_args": True, "ignore_unknown_options": True})
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "svg"]),
    help="Text, Flink's JSON, or a picture.  [default: by the file's suffix, else text]",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write there, not to stdout.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(form: str | None, output: Path | None, script: Path, args: tuple[str, ...]) -> None:
    """Show the plan of the first job that SCRIPT executes; ARGS go to the script, options of its own after ``--``.

    What the script prints goes to stderr, so that stdout holds the plan alone.
    """
    if form is None and output is not None and output.suffix not in SUFFIXES:
        raise click.UsageError(f"{output}: give a suffix of {', '.join(SUFFIXES)}, or a --format")
    graph = capture(script, args)
    text = render(graph, form or (SUFFIXES[output.suffix] if output else "text"))
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise click.FileError(str(output), error.strerror or str(error)) from error


def capture(script: Path, args: tuple[str, ...]) -> JobGraph:
    """Run the script up to its first ``execute()`` and take the graph. Ends the process if that fails."""
    from datastream.driver.failures import INVALID, exit_code, report, user_frames
    from datastream.driver.script import run_script

    captured: list[JobGraph] = []
    given = settings()
    given.on_execute = captured.append
    try:
        with redirect_stdout(sys.stderr):
            run_script(script, args)
    except PlanCaptured as ended:
        lines = [frame.lineno for frame in user_frames(ended) if frame.filename == str(script)]
        if lines and (others := other_jobs(script, lines[-1] or 0)):
            where = ", ".join(map(str, others))
            click.echo(f"note: this is the job of line {lines[-1]} only; {script} has others at line {where}", err=True)
    except SystemExit:
        if not captured:
            raise
    except (Exception, KeyboardInterrupt) as error:
        report(error, "console", given.verbose)
        sys.exit(exit_code(error, started=False))
    finally:
        given.on_execute = None
    if not captured:
        click.echo(f"error: {script} has no job: it ended without a call of env.execute()", err=True)
        sys.exit(INVALID)
    return captured[0]


def other_jobs(script: Path, line: int) -> list[int]:
    """The lines of a script that start jobs, without the one that contains a line."""
    tree = ast.parse(script.read_bytes())
    environments = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _called(node.value) == "get_execution_environment"
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return sorted(
        node.end_lineno or node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            node.func.attr == "execute_and_collect"
            or (
                node.func.attr in ("execute", "execute_async")
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in environments
            )
        )
        and not node.lineno <= line <= (node.end_lineno or node.lineno)
    )


def _called(node: ast.expr) -> str | None:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None


def render(graph: JobGraph, form: str) -> str:
    """The plan as ``text``, ``json`` or ``svg``."""
    plan = Plan.of(graph)
    if form == "svg":
        from datastream.graph.drawing import to_svg

        return to_svg(plan)
    from datastream.graph.explain import explain, to_json

    return to_json(plan) + "\n" if form == "json" else explain(plan)
