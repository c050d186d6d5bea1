"""What HELP prints."""

from __future__ import annotations

_COMMANDS = {
    "HELP": "Print this list.",
    "QUIT, EXIT": "End the client, once the jobs that it has started have ended. Ctrl-D does the same.",
    "CLEAR": "Clear the terminal.",
    "SOURCE '<file>'": "Run the statements of a file.",
    "SET '<key>' = '<value>'": "Set a property. SET alone lists them.",
    "RESET '<key>'": "Go back to the value of the beginning, or to none. RESET alone: of all properties.",
    "BEGIN STATEMENT SET": "Gather the INSERTs that follow, to run them as one job.",
    "END": "Run what was gathered.",
    "SHOW JOBS": "List the jobs of this session.",
    "STOP JOB '<id>'": "Cancel a job. WITH SAVEPOINT: with a savepoint. WITH DRAIN: end its sources first.",
}


def help_text() -> str:
    """The commands of the client."""
    wide = max(map(len, _COMMANDS))
    lines = [f"{name:<{wide}}  {about}" for name, about in _COMMANDS.items()]
    return "\n".join(
        [
            "The following commands are available:",
            "",
            *lines,
            "",
            "All other statements are those of SQL: SELECT, INSERT INTO, CREATE TABLE, SHOW TABLES, EXPLAIN and more.",
            'A statement ends with ";" and may have several lines. Ctrl-C cancels a statement that runs.',
        ]
    )
