"""Scripts that start jobs and end without waiting for them: `datastream run` waits, and tells how the jobs ended."""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from datastream.cli.commands import cli
from tests.support.processes import Run, Runs, datastream

TABLES = """
import asyncio, atexit, os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import EnvironmentSettings, TableEnvironment
from datastream.connectors import DataGeneratorSource, DiscardingSink

t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.get_config().set("parallelism.default", "1")
t.execute_sql(\"\"\"CREATE TABLE few (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '2')\"\"\")
t.execute_sql("CREATE TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '50')")
t.execute_sql("CREATE TABLE shown (n INT) WITH ('connector' = 'print')")
t.execute_sql("CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole')")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)

def endless():
    source = DataGeneratorSource(int, rate_per_second=50)
    env.from_source(source, WatermarkStrategy.no_watermarks(), "ticks").sink_to(DiscardingSink())
    return env.execute_async("endless")

def start_insert(*_):
    t.execute_sql("INSERT INTO shown SELECT n FROM few")

def until_it_works(result):
    client = result if hasattr(result, "get_accumulators") else result.get_job_client()
    while not client.get_accumulators().result()["records_in"]:
        time.sleep(0.01)
"""


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    started = Runs(tmp_path)
    yield started
    started.end()


@pytest.fixture(autouse=True)
def warnings_not_shown_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("datastream"), "handlers", [])


def run(folder: Path, text: str, *options: str, name: str = "job.py") -> Result:
    path = folder / name
    path.write_text(TABLES + text if name == "job.py" else text)
    root = logging.getLogger()
    root.handlers, caught = [], root.handlers  # warnings are left to a root logger that has any
    try:
        return CliRunner().invoke(cli, ["run", "--executor", "local", *options, str(path)], catch_exceptions=False)
    finally:
        root.handlers = caught


INSERT = "t.execute_sql('INSERT INTO shown SELECT n FROM few')\n"
FAILING = "t.execute_sql('INSERT INTO gone SELECT 1 / n FROM few')\n"
ENDLESS = "until_it_works(t.execute_sql('INSERT INTO gone SELECT n FROM ticks'))\n"
ROWS = ["+I[0]", "+I[1]", "+I[2]"]
SLOWLY = "def start():\n    time.sleep(0.3)  # the script's last line is behind it meanwhile\n    start_insert()\n"

#: A script's last lines, and what its jobs print.
FINISHING = {
    INSERT: ROWS,
    "t.from_path('few').execute_insert('shown')": ROWS,
    "t.from_path('few').insert_into('shown').execute()": ROWS,
    "s = t.create_statement_set()\ns.add_insert_sql('INSERT INTO shown SELECT n FROM few')\n"
    "s.add_insert_sql('INSERT INTO shown SELECT n + 10 FROM few')\ns.execute()": [*ROWS, "+I[10]", "+I[11]", "+I[12]"],
    "env.from_collection([7]).print()\nprint(type(env.execute_async().get_job_status()).__name__)": [
        "7",
        "CompletableFuture",
    ],
    INSERT + "env.from_collection([7]).print()\nenv.execute_async()\n" + INSERT: sorted([*ROWS, "7", *ROWS]),
    INSERT + "sys.exit()": ROWS,
    INSERT + "sys.exit(0)": ROWS,
    # Rows that nobody takes.
    "t.execute_sql('SELECT n FROM few')\n" + INSERT: ROWS,
    "rows = t.execute_sql('SELECT n FROM ticks').collect()\nnext(rows)\n" + INSERT: ROWS,
    "t.execute_sql('SELECT n FROM ticks')\n" + INSERT: ROWS,
    "numbers = env.from_sequence(0, 5)\nnumbers.print()\nnext(numbers.execute_and_collect())": list("012345"),
    # Jobs that the script has dealt with.
    "endless().cancel()": [],
    "job = t.execute_sql('INSERT INTO gone SELECT n FROM ticks').get_job_client()\njob.cancel().result()": [],
    FAILING.replace("t.exec", "failing = t.exec") + "try:\n    failing.wait()\nexcept Exception:\n    print('heard')": [
        "heard"
    ],
    # Jobs of other threads.
    "env.from_collection([8]).print()\nthread = threading.Thread(target=env.execute_async)\nthread.start()\n"
    "thread.join()": ["8"],
    "def start():\n    time.sleep(0.3)  # the script's last line is behind it meanwhile\n    " + INSERT.strip() + "\n"
    "threading.Thread(target=start).start()": ROWS,
    "job = endless()\nthreading.Thread(target=lambda: (until_it_works(job), job.cancel())).start()": [],
    # Jobs of pools, that nobody has shut down, or that nobody has any more.
    SLOWLY + "pool = ThreadPoolExecutor(2)\npool.submit(start)": ROWS,
    SLOWLY + "ThreadPoolExecutor(1).submit(start)": ROWS,
    SLOWLY + "pool = ThreadPoolExecutor(1)\npool.submit(lambda: pool.submit(start))": ROWS,
    SLOWLY + "asyncio.run(asyncio.to_thread(start))": ROWS,
    "pool = ThreadPoolExecutor(1)\nfailed = pool.submit(lambda: t.execute_sql('INSERT INTO no SELECT 1'))\n"
    "print(type(failed.exception()).__name__)\n" + INSERT: ["ValidationError", *ROWS],
    # At the end of the process, the last one first.
    "atexit.register(print, 'last')\natexit.register(start_insert, env)": [*ROWS, "last"],
    "atexit.register(start_insert)\natexit.register(print, 'forgotten')\natexit.unregister(print)\n" + INSERT: sorted(
        [*ROWS, *ROWS]
    ),
    "@atexit.register\ndef last():\n    threading.Thread(target=start_insert).start()": ROWS,
    # Jobs of coroutines, daemon threads and of a job's end.
    "async def main():\n    env.from_collection([9]).print()\n    env.execute_async()\nasyncio.run(main())": ["9"],
    "threading.Thread(target=start_insert, daemon=True).start()\ntime.sleep(0.2)\n" + INSERT: sorted([*ROWS, *ROWS]),
    "first = t.execute_sql('INSERT INTO gone SELECT n FROM few').get_job_client().get_job_execution_result()\n"
    "first.add_done_callback(start_insert)": ROWS,
}


@pytest.mark.parametrize("text", FINISHING)
def test_jobs_are_waited_for(tmp_path: Path, text: str) -> None:
    shown = run(tmp_path, text)
    assert shown.exit_code == 0, shown.output
    assert sorted(shown.stdout.splitlines()) == sorted(FINISHING[text])
    assert "finished: 0 records" not in shown.stderr


#: A script's last lines, its exit code, and what is said.
ENDING_BADLY = {
    FAILING: (1, "ZeroDivisionError"),
    FAILING + "while not t: pass": (1, "job.py"),
    FAILING.replace("t.exec", "result = t.exec")
    + "while result.get_job_client().get_job_status().result().name != 'FAILED': time.sleep(0.01)": (1, "ZeroDivision"),
    FAILING + FAILING: (1, "ZeroDivisionError"),
    ENDLESS + FAILING: (1, "which has no end of its own, is ended because of the failure"),
    INSERT + "1 / 0": (1, "ZeroDivisionError: division by zero"),
    ENDLESS + "raise OSError('gone away')": (1, "gone away"),
    ENDLESS + "t.execute_sql('INSERT INTO nowhere SELECT 1')": (2, "No table 'nowhere'"),
    ENDLESS + "sys.exit(3)": (3, "which has no end of its own"),
    INSERT + "sys.exit(3)": (3, "finished: 3 records"),
    INSERT + "sys.exit('wrong')": (1, "wrong"),
    FAILING + "sys.exit(3)": (3, "ZeroDivisionError"),
    FAILING + "sys.exit(0)": (1, "ZeroDivisionError"),
    "job = endless()\nuntil_it_works(job)\njob._handle.cancel_from_outside()": (130, "cancelled"),
    "job = endless()\njob._handle.cancel_from_outside()\n" + FAILING: (1, "cancelled"),
    "raise KeyboardInterrupt": (130, "cancelled"),
    # Failures that nobody hears of.
    "def start():\n    t.execute_sql('INSERT INTO gone SELECT 1 / n FROM few').wait()\n"
    "threading.Thread(target=start).start()": (1, "ZeroDivisionError"),
    "pool = ThreadPoolExecutor(1)\n"
    "pool.submit(lambda: t.execute_sql('INSERT INTO gone SELECT 1 / n FROM few').wait())": (1, "ZeroDivisionError"),
    INSERT + "ThreadPoolExecutor(1).submit(t.execute_sql, 'INSERT INTO nowhere SELECT 1')": (2, "No table 'nowhere'"),
    "def start():\n    try:\n        t.execute_sql('INSERT INTO nowhere SELECT 1')\n    except Exception as error:\n"
    "        raise RuntimeError('not started') from error\n"
    "pool = ThreadPoolExecutor(1)\npool.submit(start)": (2, "not started"),
    INSERT + "atexit.register(t.execute_sql, 'INSERT INTO nowhere SELECT 1')": (2, "No table 'nowhere'"),
    "async def start():\n    t.execute_sql('INSERT INTO nowhere SELECT 1')\nasync def main():\n"
    "    asyncio.create_task(start())\n    await asyncio.sleep(0.1)\nasyncio.run(main())": (2, "No table 'nowhere'"),
    "threading.Thread(target=lambda: (threading.Event().wait(), start_insert()), daemon=True).start()": (
        2,
        "ended without a job, while its daemon thread",
    ),
    ENDLESS + "raise KeyboardInterrupt": (130, "canceled: "),
}


@pytest.mark.parametrize("text", ENDING_BADLY)
def test_the_worst_end_gives_the_exit_code(tmp_path: Path, text: str) -> None:
    code, said = ENDING_BADLY[text]
    shown = run(tmp_path, text)
    assert shown.exit_code == code, shown.output
    assert said in shown.stderr
    assert shown.stderr.count("ZeroDivisionError") == text.count("/ 0") + text.count("/ n")
    assert text.startswith("raise") or ": 0 records in" not in shown.stderr.replace("canceled: 0 records in", "")
    if INSERT in text:
        assert [line for line in shown.stdout.splitlines() if line.startswith("+I")] == ROWS


def test_inserts_into_one_folder_run_side_by_side(tmp_path: Path) -> None:
    options = f"'connector' = 'filesystem', 'path' = '{tmp_path}/out', 'format' = 'csv'"
    table = f"t.execute_sql(\"CREATE TABLE files (n INT) WITH ({options}, 'sink.rolling-policy.file-size' = '1b')\")\n"
    insert = "t.execute_sql('INSERT INTO files SELECT n FROM few')\n"
    ticks = "until_it_works(t.execute_sql('INSERT INTO files SELECT 7 FROM ticks'))\n"
    shown = run(tmp_path, table + ticks + insert * 3 + FAILING)
    assert shown.exit_code == 1, shown.output  # of the failure, which ends the endless job, too
    rows = [line for part in tmp_path.glob("out/part-*") for line in part.read_text().splitlines()]
    assert "7" in rows
    assert sorted(row for row in rows if row != "7") == sorted(["0", "1", "2"] * 3)


def test_jobs_that_run_side_by_side_are_told_by_name(tmp_path: Path) -> None:
    shown = run(tmp_path, ENDLESS + INSERT + "until_it_works(endless())\n" + FAILING)
    summaries = [line for line in shown.stderr.splitlines() if " records in, " in line]
    names = ["endless", *[f"insert-into_default_catalog.default_database.{name}" for name in ("gone", "shown")]]
    assert sorted(line.partition(": finished: ")[0] for line in summaries) == names


def test_jobs_as_json_lines_are_told_apart(tmp_path: Path) -> None:
    shown = run(
        tmp_path, INSERT + "env.from_collection([7]).print()\nenv.execute_async('seven')", "--log-format", "json"
    )
    events = [json.loads(line) for line in shown.stderr.splitlines()]
    for name in ("insert-into_default_catalog.default_database.shown", "seven"):
        told = [each["event"] for each in events if each.get("job") == name]
        assert (told[0], set(told[1:-1]), told[-1]) == ("start", {"epoch"}, "end")


SQL_TABLES = """
CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '2');
CREATE TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');
CREATE TABLE shown (n INT) WITH ('connector' = 'print');
CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole');
SET 'parallelism.default' = '1';
"""
ENDLESS_SQL = SQL_TABLES + "INSERT INTO gone SELECT n FROM ticks;\n"

#: Statements behind an INSERT without an end, the exit code of their file, what is printed and what is said.
BEHIND_AN_ENDLESS_ONE = {
    "INSERT INTO shown SELECT n FROM numbers; INSERT INTO gone SELECT 1 / n FROM numbers": (1, "+I[2]", "by zero"),
    "EXECUTE STATEMENT SET BEGIN INSERT INTO shown SELECT n FROM numbers;INSERT INTO gone SELECT 1 / n FROM numbers; "
    "END; SELECT 5 AS five": (1, "five |", "ZeroDivisionError"),
    "CREATE TABLE other WITH ('connector' = 'print') AS SELECT n + 7 AS m FROM numbers; SELECT nothing": (
        2,
        "",
        "nothing",
    ),
    "SELECT 5 AS five; INSERT INTO shown SELECT wrong FROM numbers": (2, "five |", "column 44: No column 'wrong'"),
    "INSERT INTO shown SELECT n FROM numbers; CREATE TABLE wrong (n INT) WITH ('connector' = 'print', 'x' = 'y');"
    "INSERT INTO wrong SELECT n FROM numbers": (2, "+I[1]", "'x'"),
    "SET 'table.dml-sync' = 'true';INSERT INTO shown SELECT n FROM numbers;INSERT INTO gone SELECT 1 / n FROM numbers;"
    "SELECT 5 AS five": (1, "+I[2]", "ZeroDivisionError"),
    "SHOW TABLES; INSERT INTO nowhere SELECT 1": (2, "ticks", "No table 'nowhere'"),
}


@pytest.mark.parametrize("statements", BEHIND_AN_ENDLESS_ONE)
def test_statements_behind_an_endless_insert_are_carried_out(tmp_path: Path, statements: str) -> None:
    wanted, printed, said = BEHIND_AN_ENDLESS_ONE[statements]
    shown = run(tmp_path, ENDLESS_SQL + statements, name="job.sql")
    code, out, err = shown.exit_code, shown.stdout, shown.stderr
    assert code == wanted, err
    assert printed in out and said in err
    assert "INSERT INTO gone SELECT n FROM ticks: runs as a job\n" in err and "is ended because of the failure" in err
    assert "Traceback" not in err
    if "dml-sync" in statements:
        assert "five" not in out  # as in Flink's client, nothing runs after a failure
    if "SELECT n FROM numbers" in statements:
        assert [line for line in out.splitlines() if line.startswith("+I")] in ([], ROWS)


@pytest.mark.parametrize("word", ["QUIT", "exit"])
def test_nothing_behind_quit_is_carried_out(tmp_path: Path, word: str) -> None:
    shown = run(
        tmp_path, SQL_TABLES + f"INSERT INTO shown SELECT n FROM numbers; {word};\nit is no SQL", name="job.sql"
    )
    assert (shown.exit_code, shown.stdout.splitlines()) == (0, ROWS), shown.stderr
    assert f"{word}: done" in shown.stderr


ENDLESS_SCRIPT = TABLES + "until_it_works(endless())\nprint('left', flush=True)\n" + ENDLESS + INSERT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_jobs_that_are_waited_for(runs: Runs, tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "job.py").write_text(ENDLESS_SCRIPT)
    started = runs.start(*datastream("run", "--executor", "local", "job.py"))
    started.until(lambda: started.out.count("+I") == 3, "rows")
    started.process.send_signal(number)
    assert started.wait() == 130
    assert started.err.splitlines()[-1] == "cancelled" and "Traceback" not in started.err
    assert started.err.count(": canceled: ") == 2


def test_an_interrupt_amid_a_text_that_is_carried_out_is_no_other_end(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text('exec("import time; print(1, flush=True); time.sleep(600)")')
    started = runs.start(*datastream("run", "--executor", "local", "job.py"))
    started.until(lambda: started.out == "1\n", "line")
    started.process.send_signal(signal.SIGINT)
    assert started.wait() == 130, started.told()


ENDS_WHILE_IT_STARTS = """
from datastream.connectors import NumberSequenceSource

class Ends(NumberSequenceSource):
    def validate(self):
        os._exit(0)

env.from_source(Ends(1, 3), WatermarkStrategy.no_watermarks(), "numbers").print()
env.execute()
"""

#: What else ends a process: its code, what its jobs print, and what is said.
ABRUPT = {
    "until_it_works(endless())\nos._exit(0)": (1, [], "os._exit(0) ends the process, and with it the job 'endless'"),
    ENDS_WHILE_IT_STARTS: (1, [], "os._exit(0) ends the process, and with it the job that is being started"),
    "endless()\nos._exit(7)": (7, [], ""),
    INSERT.replace("t.exec", "done = t.exec") + "done.wait()\nsys.stdout.flush()\nos._exit(0)": (0, ROWS, ""),
    "endless()\nos.execv('/bin/true', ['true'])": (2, [], "os.execv replaces the process, and ends the job 'endless'"),
    "endless()\nos.kill(os.getpid(), 9)": (-9, [], ""),
    "endless()\nos.kill(os.getpid(), 15)": (130, [], "cancelled"),
    "import signal\nendless()\nsignal.signal(signal.SIGALRM, lambda *_: sys.exit(0))\nsignal.alarm(1)": (
        130,
        [],
        "cancelled",
    ),
    "def start():\n    raise LookupError('before the job')\nthreading.Thread(target=start).start()": (
        2,
        [],
        "ended without a job, and a thread or exit handler of it with LookupError",
    ),
    # Forks: of the script itself, of multiprocessing, and of both that fail.
    "if os.fork() == 0:\n    " + INSERT: (0, ROWS, ""),
    "if os.fork() == 0:\n    " + FAILING: (1, [], "ZeroDivisionError"),
    "if os.fork() == 0:\n    endless()\n    os._exit(0)": (1, [], "and with it the job 'endless'"),
    "import multiprocessing\nmultiprocessing.get_context('fork').Process(target=start_insert).start()": (0, ROWS, ""),
    "import multiprocessing\ndef start():\n    " + FAILING + "process = multiprocessing.get_context('fork').Process("
    "target=start)\nprocess.start()": (1, [], "ZeroDivisionError"),
    "import multiprocessing\ndef start():\n    " + FAILING + "process = multiprocessing.get_context('fork').Process("
    "target=start)\nprocess.start()\nprocess.join()\nprint(process.exitcode)": (0, ["1"], "ZeroDivisionError"),
    "import multiprocessing\nmanager = multiprocessing.get_context('fork').Manager()\n"
    "from concurrent.futures import ProcessPoolExecutor\n"
    "pool = ProcessPoolExecutor(1, multiprocessing.get_context('fork'))\npool.submit(int)\n" + INSERT: (0, ROWS, ""),
}


@pytest.mark.parametrize("text", ABRUPT)
def test_an_end_that_loses_a_job_is_no_success(runs: Runs, tmp_path: Path, text: str) -> None:
    code, rows, said = ABRUPT[text]
    (tmp_path / "job.py").write_text(TABLES + text)
    started = runs.start(*datastream("run", "--executor", "local", "job.py"))
    assert started.wait() == code, started.told()
    assert sorted(started.out.splitlines()) == rows
    assert said in started.err


PLAIN = "from datastream.compat import install\ninstall()\nfrom datastream.config.settings import settings\n"


def plain(runs: Runs, folder: Path, text: str, executor: str = "local") -> Run:
    (folder / "job.py").write_text(f"{PLAIN}settings().executor = '{executor}'\n{TABLES}{text}")
    started = runs.start(sys.executable, "job.py")
    assert started.wait() == 0, started.told()
    assert "Traceback" not in started.err
    return started


def test_a_plain_program_says_what_is_lost(runs: Runs, tmp_path: Path) -> None:
    err = plain(runs, tmp_path, ENDLESS + "until_it_works(endless())").err
    assert err.count("the program ends, and with it the job '") == 2
    assert "datastream run" in err


def test_a_plain_program_tells_of_a_failure_that_nobody_heard_of(runs: Runs, tmp_path: Path) -> None:
    wait = "while result.get_job_client().get_job_status().result().name != 'FAILED': time.sleep(0.01)"
    err = plain(runs, tmp_path, FAILING.replace("t.exec", "result = t.exec") + wait).err
    assert "failed, and the script has not waited for it" in err and "ZeroDivisionError" in err


def test_a_plain_program_that_has_taken_what_it_wants_ends_without_a_word(runs: Runs, tmp_path: Path) -> None:
    taken = "rows = t.execute_sql('SELECT n FROM ticks').collect()\nnext(rows)\n"
    assert plain(runs, tmp_path, taken + INSERT.replace("t.exec", "result = t.exec") + "result.wait()").err == ""


@pytest.mark.long
def test_jobs_on_spark_are_waited_for(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(TABLES + INSERT + "env.from_collection([7]).print()\nenv.execute_async('seven')\n")
    started = runs.start(*datastream("run", "-p", "1", "job.py"))
    assert sorted(started.succeed().splitlines()) == sorted([*ROWS, "7"])
    assert "Traceback" not in started.err and ": 0 records in" not in started.err
    started.assert_tidy()


@pytest.mark.long
def test_a_plain_program_on_spark_ends_its_jobs_in_good_order(runs: Runs, tmp_path: Path) -> None:
    started = plain(runs, tmp_path, ENDLESS, "spark")
    assert started.err.count("the program ends, and with it the job '") == 1
    started.assert_tidy()
