"""What HELP prints."""

from __future__ import annotations

_COMMANDS = {
    "HELP": "Print this list.",
    "QUIT, EXIT": "Wait for the jobs of this session, then end the client. Ctrl-D does the same.",
    "CLEAR": "Clear the terminal.",
    "SOURCE '<file>'": "Run the statements of a file.",
    "SET '<key>' = '<value>'": "Set a property. SET alone lists them.",
    "RESET '<key>'": "Reset a property to its value at the start of the client. RESET alone: all properties.",
    "BEGIN STATEMENT SET": "Collect the INSERTs that follow, to run them as one job.",
    "END": "Run the INSERTs since BEGIN STATEMENT SET.",
    "SHOW JOBS": "List the jobs of this session.",
    "DESCRIBE JOB '<id>'": "Show a job of this session.",
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
            "All other statements are SQL: SELECT, INSERT INTO, CREATE TABLE, SHOW TABLES, EXPLAIN and more.",
            'A statement ends with ";" and may have several lines. Ctrl-C cancels a statement that runs.',
        ]
    )
