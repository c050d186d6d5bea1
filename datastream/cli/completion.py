"""``datastream completion``: the completion script of a shell."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL. It completes commands, options, and jobs and artifacts of the gateway.

    \b
    bash:  add to ~/.bashrc:  eval "$(datastream completion bash)"
    zsh:   add to ~/.zshrc:   eval "$(datastream completion zsh)"
    fish:  datastream completion fish > ~/.config/fish/completions/datastream.fish
    """
    from click.shell_completion import get_completion_class

    from .commands import cli

    kind = get_completion_class(shell)
    assert kind is not None
    # Not `source()`: for bash that runs bash first, to learn its version.
    completion = kind(cli, {}, "datastream", "_DATASTREAM_COMPLETE")
    click.echo(completion.source_template % completion.source_vars())
