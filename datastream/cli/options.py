"""Options that several commands have."""

from __future__ import annotations

import click

FORMAT = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
IMPORT_PATH = click.option(
    "-I",
    "--import-path",
    "paths",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="A folder with modules of the job's classes, beside the current one; may be repeated.",
)
