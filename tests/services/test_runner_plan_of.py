"""The plan of a job that does not run, as a gateway asks for it."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.services.conftest import Runners

JOB = """
import os, subprocess, sys
from pyflink.datastream import StreamExecutionEnvironment
print("said by the job")
os.write(1, b"written by the job\\n")
subprocess.run(["echo", "said by a child"], check=True)
env = StreamExecutionEnvironment.get_execution_environment()
words = env.from_collection(sys.argv[1:]).uid("words")
words.key_by(len).reduce(lambda a, b: a).uid("by-length").print().uid("print")
env.execute("words")
raise SystemExit("behind the first job")
"""


def plan_of(runners: Runners, *args: object) -> tuple[int, dict[str, Any]]:
    run = runners.runs.start(sys.executable, "-m", "datastream.services.runner.plan_of", *args)
    code = run.wait()
    [line] = run.out.splitlines()
    return code, json.loads(line)


def zipped(path: Path, **modules: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in modules.items():
            archive.writestr(f"jobs/{name}.py", text)
    return path


def test_of_a_script_and_of_a_module_of_an_archive(runners: Runners) -> None:
    script = runners.script(JOB)
    archive = zipped(
        runners.folder / "jobs.zip", __init__="", text="NAME = 1", words=f"from jobs.text import NAME\n{JOB}"
    )
    for code in (["--script", script], ["--archive", archive, "-m", "jobs.words"]):
        exit_code, answer = plan_of(runners, *code, "-p", 3, "--", "a", "--long")
        assert exit_code == 0, answer
        plan = answer["plan"]
        assert (plan["name"], plan["batch"], plan["parallelism"]) == ("words", False, 3)
        assert [node["uid"] for node in plan["nodes"]] == ["words", "by-length", "print"]
        assert plan["nodes"][1]["predecessors"] == [{"id": 0, "ship_strategy": "HASH", "side_output": None}]
        assert len(plan["layout"]["chains"]) == 3
        assert [node["id"] for node in answer["flink"]["nodes"]] == [0, 1, 2]


WRONG = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "x = 1": "has no job: it ended without a call of env.execute()",
    "raise SystemExit('no input')": "it ended itself, no input",
    "import no_such_package": "No module named 'no_such_package'",
    JOB.replace('"by-length"', '"words"'): "the uid 'words'",
    "x = (": "SyntaxError",
}


@pytest.mark.parametrize("text", WRONG, ids=WRONG.values())
def test_of_a_job_that_fails(runners: Runners, text: str) -> None:
    exit_code, answer = plan_of(runners, "--script", runners.script(text))
    assert exit_code == 2 and answer.keys() == {"error"}
    assert WRONG[text] in answer["error"]


def test_of_an_archive_without_a_job(runners: Runners) -> None:
    archive = zipped(runners.folder / "jobs.zip", __init__="")
    for args, said in ([], "name the job's module with -m"), (["-m", "jobs.none"], "there is no module 'jobs.none'"):
        exit_code, answer = plan_of(runners, "--archive", archive, *args)
        assert exit_code == 2 and said in answer["error"]
