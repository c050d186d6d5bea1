"""Running a file of SQL statements."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

from datastream.errors import UnsupportedOperation, ValidationError

_WIDTH = 70


def run_sql_file(path: Path, log_format: str) -> None:
    """Carry out the statements of a file, one after the other, with a line for each on stderr.

    Results of queries and of SHOW go to stdout. An INSERT is waited for; several that never end belong into one
    EXECUTE STATEMENT SET.

    Args:
        path: The file.
        log_format: ``console`` or ``json``.

    Raises:
        ValidationError: The file is not SQL, or a statement of it is wrong.
    """
    from datastream.api.callables import made_at
    from datastream.graph import Origin
    from datastream.table import EnvironmentSettings, ResultKind, TableEnvironment
    from datastream.table.execution.statements import executed
    from datastream.table.sql.parser import parse_script
    from datastream.table.sql.statements import CompilePlan, ExecutePlan, Insert, StatementSetBlock

    try:
        source = path.read_text("utf-8-sig")
        statements = parse_script(source)
    except UnicodeDecodeError as error:
        raise ValidationError(f"{path} is not UTF-8: {error}") from error
    except ValidationError as error:
        raise ValidationError(f"{path}: {error}") from error
    if not statements:
        raise ValidationError(f"{path}: there is no statement in it")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    end = 0
    for number, (statement, text) in enumerate(statements, 1):
        began = time.monotonic()
        begin = max(source.find(text, end), end)
        end = begin + len(text)
        origin = Origin(str(path), source.count("\n", 0, begin) + 1)
        _tell(log_format, f"{number}/{len(statements)}", text, "begins")
        try:
            with made_at(origin):
                result = executed(env._session, statement)
        except (ValidationError, UnsupportedOperation) as error:
            raise _placed(error, path, source, number) from error
        if isinstance(statement, Insert | StatementSetBlock | CompilePlan | ExecutePlan):
            result.wait()
        elif result.get_result_kind() is ResultKind.SUCCESS_WITH_CONTENT:
            result.print()
        _tell(log_format, f"{number}/{len(statements)}", text, f"done in {time.monotonic() - began:.1f} s")


def _placed(error: ValidationError | UnsupportedOperation, path: Path, source: str, number: int) -> Exception:
    """The same error with the file, and the line of it where the error says which."""
    from datastream.table.plan.errors import retold
    from datastream.table.sql.errors import pointed

    at = re.match(r"line (\d+), column (\d+): ", str(error))
    if at is None:
        return retold(error, f"{path}, statement {number}: {error}")
    if "\n" in str(error):
        return retold(error, f"{path}: {error}")
    return retold(error, f"{path}: {error}\n{pointed(source, int(at[1]), int(at[2]))}")


def _tell(log_format: str, number: str, text: str, what: str) -> None:
    title = " ".join(text.split())
    title = title if len(title) <= _WIDTH else title[: _WIDTH - 3] + "..."
    if log_format == "json":
        line = json.dumps({"event": "statement", "level": "info", "number": number, "statement": title, "state": what})
    else:
        line = f"{number} {title}: {what}"
    print(line, file=sys.stderr, flush=True)
