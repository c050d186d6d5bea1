"""``datastream artifacts plan``: show the plan of an artifact's job; nothing runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from datastream.plain_text import plain

from ..artifact_argument import ARTIFACT, MODULE
from ..gateway import connected, gateway_options
from ..options import FORMAT
from ..table import write_table


@click.command("plan", context_settings={"allow_interspersed_args": True, "ignore_unknown_options": True})
@click.option("-p", "--parallelism", type=click.IntRange(min=1), help="Default number of subtasks.")
@MODULE
@FORMAT
@gateway_options
@ARTIFACT
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(
    parallelism: int | None,
    module: str | None,
    form: str,
    gateway: str | None,
    token_file: str | None,
    artifact: str,
    args: tuple[str, ...],
) -> None:
    """Show the plan of the first job that ARTIFACT executes; ARGS go to the job, options of its own after ``--``.

    The gateway runs the job's code up to its execute().
    """
    with connected(gateway, token_file) as client:
        found = client.plan(client.artifact(artifact).id, args, module, parallelism)
    if form == "json":
        click.echo(json.dumps({"plan": found.plan, "graph": found.graph}, ensure_ascii=False))
        return
    nodes = found.graph.get("nodes") or []
    click.echo(f"{plain(found.plan.get('name') or found.graph.get('name') or '')}: {len(nodes)} operators")
    rows = [
        (
            str(node.get("id")),
            plain(node.get("kind") or "-"),
            str(node.get("parallelism") or "-"),
            ", ".join(map(_edge, node.get("predecessors") or [])) or "-",
            plain(node.get("uid") or "-"),
            plain(node.get("name") or ""),
        )
        for node in nodes
    ]
    write_table(("id", "kind", "parallelism", "input", "uid", "name"), rows)


def _edge(edge: Mapping[str, Any]) -> str:
    side = f" {edge['side_output']}" if edge.get("side_output") else ""
    return plain(f"{edge.get('id')} {edge.get('ship_strategy') or ''}{side}".strip())
