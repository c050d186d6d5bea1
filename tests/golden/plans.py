"""Golden plans: a compiled plan of each operator of SQL, with a savepoint of the job at half of its input.

``tests/golden/plans/<release>/<name>.tar.xz`` holds ``plan.json``, the folder ``savepoint``, and the changes as lines
of text: ``before`` those before the savepoint, ``all`` those of a run that nobody disturbed.

``python -m tests.golden.plans RELEASE [NAME ...]`` makes them, once a release; a later version runs them as they are.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from datastream import Configuration
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.environments.archives import unpack
from datastream.table import PlanReference, TableEnvironment
from tests.support.savepoints import StopAfter
from tests.table.process_functions import Running

FOLDER = Path(__file__).parent / "plans"
COUNT, EPOCH = 2000, 500

#: Events in order of time, every seventh of them again, and versions of the keys.
TABLES = [
    f"CREATE TABLE {name} (n BIGINT, {columns}, WATERMARK FOR at AS at) WITH ('connector' = 'datagen', "
    "'rows-per-second' = '1000000000', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', "
    f"'fields.n.end' = '{COUNT}', 'number-of-rows' = '{COUNT}')"
    for name, columns in (
        ("events", "k AS MOD(n, 11), v AS MOD(n * 7919, 1009), at AS TO_TIMESTAMP_LTZ(n * 100, 3)"),
        ("others", "k AS MOD(n, 13), v AS MOD(n * 5003, 1009), at AS TO_TIMESTAMP_LTZ(n * 100, 3)"),
    )
]
VERSIONS = """
CREATE VIEW versions AS SELECT k, v, at FROM
(SELECT k, v, at, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS r FROM others) WHERE r = 1
"""


MODEL = (
    "CREATE TEMPORARY MODEL doubled INPUT (n BIGINT) OUTPUT (twice BIGINT) WITH ('provider' = 'python', "
    "'class' = 'tests.table.predict_functions.Doubled')"
)


def _windows(of: str, function: str) -> str:
    return f"FROM TABLE({function.format(f'TABLE {of}, DESCRIPTOR(at)')})"


_TUMBLE = "TUMBLE({}, INTERVAL '7' SECOND)"

#: Name -> a query; each has an operator, or a form of one, that no other has.
QUERIES = {
    "calc": "SELECT n + 1, UPPER(CAST(k AS STRING)) FROM events WHERE v < 500",
    "correlate": "SELECT n, x FROM events, UNNEST(ARRAY[k, v]) AS t (x) WHERE n < 900",
    "aggregate": "SELECT k, COUNT(*), SUM(v), MAX(v), AVG(v) FROM events GROUP BY k",
    "aggregate of all": "SELECT COUNT(*), MIN(v) FROM events",
    "aggregate of changes": (
        "SELECT n, COUNT(*), MAX(k) FROM (SELECT k, COUNT(*) AS n FROM events GROUP BY k) GROUP BY n"
    ),
    "distinct": "SELECT k, COUNT(DISTINCT v), SUM(DISTINCT MOD(v, 50)) FROM events GROUP BY k",
    "grouping sets": "SELECT k, MOD(v, 3), COUNT(*) FROM events GROUP BY GROUPING SETS ((k), (MOD(v, 3)), ())",
    "select distinct": "SELECT DISTINCT k, MOD(v, 5) FROM events",
    "tumbling": f"SELECT window_end, k, SUM(v) {_windows('events', _TUMBLE)} GROUP BY window_start, window_end, k",
    "hopping": (
        "SELECT window_end, COUNT(*) "
        + _windows("events", "HOP({}, INTERVAL '3' SECOND, INTERVAL '9' SECOND)")
        + " GROUP BY window_start, window_end"
    ),
    "cumulating": (
        "SELECT window_end, COUNT(DISTINCT v) "
        + _windows("events", "CUMULATE({}, INTERVAL '10' SECOND, INTERVAL '30' SECOND)")
        + " GROUP BY window_start, window_end"
    ),
    "session": (
        "SELECT window_start, window_end, k, COUNT(*) FROM TABLE(SESSION(TABLE seldom PARTITION BY k, DESCRIPTOR(at), "
        "INTERVAL '6' SECOND)) GROUP BY window_start, window_end, k"
    ),
    "session rows": (
        "SELECT window_start, window_end, k, n FROM TABLE(SESSION(TABLE seldom PARTITION BY k, DESCRIPTOR(at), "
        "INTERVAL '6' SECOND))"
    ),
    "group window": (
        "SELECT TUMBLE_END(at, INTERVAL '7' SECOND), COUNT(*) FROM events GROUP BY TUMBLE(at, INTERVAL '7' SECOND)"
    ),
    "window of a window": (
        "SELECT window_end, MAX(s) FROM (SELECT window_start, window_end, k, SUM(v) AS s "
        f"{_windows('events', _TUMBLE)} GROUP BY window_start, window_end, k) GROUP BY window_start, window_end"
    ),
    "window join": (
        f"SELECT a.n, b.n FROM (SELECT * {_windows('events', _TUMBLE)}) a JOIN (SELECT * "
        f"{_windows('seldom', _TUMBLE)}) b "
        "ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end"
    ),
    "window top": (
        "SELECT window_end, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, "
        "window_end ORDER BY v DESC, n)"
        f" AS r {_windows('events', _TUMBLE)}) WHERE r <= 2"
    ),
    "join": "SELECT a.n, b.n FROM events a, seldom b WHERE a.v = b.v",
    "left join": "SELECT a.n, b.n FROM events a LEFT JOIN seldom b ON a.n = b.n * 2",
    "full join": (
        "SELECT a.k, a.c, b.c FROM (SELECT k, COUNT(*) AS c FROM events GROUP BY k) a "
        "FULL JOIN (SELECT k, COUNT(*) AS c FROM others GROUP BY k) b ON a.k = b.k"
    ),
    "semi join": "SELECT n FROM events WHERE v IN (SELECT v FROM seldom)",
    "anti join": "SELECT n FROM events a WHERE NOT EXISTS (SELECT 1 FROM seldom b WHERE a.v = b.v)",
    "interval join": (
        "SELECT a.n, b.n FROM events a LEFT JOIN seldom b ON a.k = b.k "
        "AND a.at BETWEEN b.at - INTERVAL '1' SECOND AND b.at + INTERVAL '2' SECOND"
    ),
    "temporal join": "SELECT e.n, o.v FROM events e LEFT JOIN versions FOR SYSTEM_TIME AS OF e.at AS o ON e.k = o.k",
    "union": "SELECT n FROM events WHERE k = 1 UNION SELECT n FROM seldom WHERE k = 1",
    "intersect": "SELECT v FROM events INTERSECT SELECT v FROM seldom",
    "except": "SELECT v FROM others EXCEPT ALL SELECT v FROM seldom",
    "order and limit": "SELECT n, v FROM events ORDER BY v DESC, n LIMIT 5",
    "limit": "SELECT k, c FROM (SELECT k, COUNT(*) AS c FROM events GROUP BY k) ORDER BY c DESC, k LIMIT 3",
    "rank": (
        "SELECT k, n, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, n) AS "
        "r FROM events) WHERE r <= 3"
    ),
    "first row": (
        "SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at) AS r FROM events) WHERE r = 1"
    ),
    "last row": (
        "SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY at DESC) AS r FROM events) WHERE r = 1"
    ),
    "over rows": (
        "SELECT n, SUM(v) OVER (PARTITION BY k ORDER BY at ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM events"
    ),
    "over range": (
        "SELECT n, COUNT(*) OVER (PARTITION BY k ORDER BY at RANGE BETWEEN INTERVAL '5' SECOND "
        "PRECEDING AND CURRENT ROW) "
        "FROM events"
    ),
    "over all": "SELECT n, MAX(v) OVER (ORDER BY at), LAG(n) OVER (ORDER BY at) FROM events",
    "match": (
        "SELECT * FROM events MATCH_RECOGNIZE (PARTITION BY k ORDER BY at MEASURES A.n AS first_n, LAST(B.n) AS last_n "
        "ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C) "
        "DEFINE B AS B.v > A.v, C AS C.v < A.v) AS found"
    ),
    "process table": (
        "SELECT k, kind, n, most FROM Running(input => TABLE events PARTITION BY k, on_time => DESCRIPTOR(at))"
    ),
    "to changelog": "SELECT * FROM TO_CHANGELOG(input => (SELECT k, COUNT(*) AS n FROM events GROUP BY k))",
    "from changelog": (
        "SELECT k, SUM(v) AS s FROM FROM_CHANGELOG(input => (SELECT k, v, CASE MOD(n, 2) WHEN 0 THEN 'c' ELSE 'r' END "
        "AS op FROM events), op_mapping => MAP['c, r', 'INSERT']) GROUP BY k"
    ),
    "predict": (
        "SELECT k, SUM(twice) AS s FROM ML_PREDICT(TABLE events, MODEL doubled, DESCRIPTOR(v), "
        "MAP['max-concurrent-operations', '20']) GROUP BY k"
    ),
}


#: What they give hangs on the order in which rows come; several subtasks of a source give them in another one.
IN_ORDER = ("temporal join",)


def environment(parallelism: int = 1, savepoint: Path | None = None) -> TableEnvironment:
    """An environment with the tables; its job begins at a savepoint."""
    options = {"datastream.epoch.max-records": str(EPOCH), "parallelism.default": str(parallelism)}
    if savepoint is not None:
        options["execution.state-recovery.path"] = str(savepoint)
    env = TableEnvironment.create(Configuration.from_dict(options))
    env.create_temporary_system_function("Running", Running())
    env.execute_sql(MODEL)
    return env


def compile_plan(query: str) -> str:
    """The plan of a query whose changes are printed."""
    env = environment()
    for statement in (*TABLES, VERSIONS, "CREATE VIEW seldom AS SELECT * FROM events WHERE MOD(n, 7) = 0"):
        env.execute_sql(statement)
    columns = (
        f"c{i} {str(column.get_data_type()).replace(' *ROWTIME*', '').removesuffix(' NOT NULL')}"
        for i, column in enumerate(env.sql_query(query).get_resolved_schema().get_columns())
    )
    env.execute_sql(f"CREATE TABLE printed ({', '.join(columns)}) WITH ('connector' = 'print')")
    return str(env.compile_plan_sql(f"INSERT INTO printed {query}").as_json_string())


def run(plan: str, savepoint: Path | None = None, halve: Path | None = None, parallelism: int = 1) -> list[str]:
    """Run a plan on the local executor; the changes that it prints.

    Args:
        plan: Its text.
        parallelism: Of all operators.
        savepoint: Where it begins.
        halve: Where a savepoint goes, with which the job ends in the middle of its input.
    """
    given = settings()
    known = given.executor, given.listeners
    stop = StopAfter(COUNT // EPOCH // 2 if halve else 0, lambda: None)
    given.executor, given.listeners = "local", [stop]
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            result = environment(parallelism, savepoint).execute_plan(PlanReference.from_json_string(plan))
            client: Any = result.get_job_client()
            stop.handle = handle_of(client)
            stop.started.set()
            stop.handle.future.result()
        if halve is not None:
            stop.handle.savepoint(halve)
    finally:
        given.executor, given.listeners = known
    return [line.partition("> ")[2] or line for line in shown.getvalue().splitlines()]


def fold(changes: Iterable[str]) -> Counter[str]:
    """What is left of changes such as ``+I[1, a]``."""
    left: Counter[str] = Counter()
    for change in changes:
        left[change[2:]] += 1 if change[:2] in ("+I", "+U") else -1
    return Counter({row: times for row, times in left.items() if times})


def names() -> list[tuple[str, str]]:
    """(release, name) of all that there are."""
    return sorted((path.parent.name, path.name.removesuffix(".tar.xz")) for path in FOLDER.glob("*/*.tar.xz"))


def read(release: str, name: str, folder: Path) -> tuple[str, Path, list[str], list[str]]:
    """Unpack one into a folder: its plan, its savepoint, the changes before it, and all."""
    unpack(str(FOLDER / release / f"{name}.tar.xz"), folder)
    before, whole = ((folder / part).read_text().splitlines() for part in ("before", "all"))
    return (folder / "plan.json").read_text(), folder / "savepoint", before, whole


def make(release: str, name: str, folder: Path) -> Path:
    """Compile a query and run it to the middle; see that its savepoint goes on, and keep all of it."""
    plan = compile_plan(QUERIES[name])
    whole, before = run(plan), run(plan, halve=folder / "savepoint")
    after = run(plan, folder / "savepoint")
    if fold(before + after) != fold(whole) or not before:
        sys.exit(f"{name}: before {len(before)}, after {len(after)}, all {len(whole)}: they differ")
    (folder / "plan.json").write_text(plan)
    for part, changes in (("before", before), ("all", whole)):
        (folder / part).write_text("".join(f"{change}\n" for change in changes))
    path = FOLDER / release / f"{name}.tar.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for part in ("plan.json", "savepoint", "before", "all"):
            archive.add(folder / part, part)
    return path


def main(release: str, *wanted: str) -> None:
    """Make those of a release, by default all."""
    for name in wanted or QUERIES:
        with tempfile.TemporaryDirectory() as folder:
            path = make(release, name, Path(folder))
            print(f"{path.relative_to(FOLDER)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
