"""Jobs that bring packages, modules, archives, files and an interpreter, on this machine."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.offline import REFUSES, Wheels
from tests.support.processes import Run, Runs, datastream

pytestmark = pytest.mark.long  # many processes of their own

#: The documentation of dependencies of PyFlink, and FLIP-58: by calls of the environment.
BY_CALLS = """
from pyflink.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_python_requirements("requirements.txt", "wheels")
env.add_python_file("tariffs.py")
env.add_python_file("shared")
env.add_python_file("packed.zip")
env.add_python_archive("data.zip", "data")
env.add_python_archive("data.tar.gz")
env.register_cached_file("model.txt", "model")

class Price(MapFunction):
    def open(self, runtime_context: RuntimeContext):
        with open(runtime_context.get_distributed_cache().get_file("model")) as file:
            self.model = file.read()

    def map(self, number):
        import greeting, packed, tariffs
        from helpers.rounding import rounded
        factors = [open(path).read() for path in ("data/factor.txt", "data.tar.gz/factor.txt")]
        return greeting.VERSION, tariffs.PRICE, rounded(1.5), packed.NAME, factors, self.model

env.from_collection([1]).map(Price()).key_by(lambda p: p[0]).reduce(lambda a, b: b).print()
env.execute("prices")
"""
SEEN = "('2.0', 7, 2, 'packed', ['10', '20'], 'a model')"
#: By options: the script may import what it brings.
BY_OPTIONS = """
import greeting, tariffs
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()

def price(number):
    with open("data/factor.txt") as factor:
        return greeting.VERSION, tariffs.PRICE * int(factor.read())

env.from_collection([1]).map(price).print()
env.execute("prices")
"""
INTERPRETER = """
import sys
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()

def where(number):
    import greeting
    return sys.prefix, greeting.VERSION

env.from_collection([1]).map(where).key_by(lambda w: w[0]).reduce(lambda a, b: a).print()
env.execute("where")
"""
#: Each shows its version of one package for a while.
VERSION = """
import sys, time
from pathlib import Path
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
own = sys.argv[1]
env.set_python_requirements(f"{own}.txt", "wheels")

def version(number):
    import greeting
    Path(f"running-{own}").touch()
    while not all(Path(f"running-{name}").exists() for name in ("one", "two")):
        time.sleep(0.05)
    return greeting.VERSION

env.set_parallelism(1)
env.from_collection(range(3)).map(version).print()
env.execute("versions")
"""


@pytest.fixture
def bringing(runs: Runs) -> Runs:
    """A folder with all that the jobs bring; no index answers."""
    folder = runs.folder
    wheels = Wheels(folder / "wheels")
    wheels.requirements(folder, "greeting==2.0")
    (folder / "tariffs.py").write_text("PRICE = 7\n")
    (folder / "shared" / "helpers").mkdir(parents=True)
    (folder / "shared" / "helpers" / "__init__.py").write_text("")
    (folder / "shared" / "helpers" / "rounding.py").write_text("def rounded(x):\n    return round(x)\n")
    with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
        archive.writestr("packed.py", "NAME = 'packed'\n")
    with zipfile.ZipFile(folder / "data.zip", "w") as archive:
        archive.writestr("factor.txt", "10")
    (folder / "factor.txt").write_text("20")
    subprocess.run(["tar", "czf", "data.tar.gz", "factor.txt"], cwd=folder, check=True)
    (folder / "model.txt").write_text("a model")
    return runs


def start(runs: Runs, script: str, *args: object, name: str = "job.py") -> Run:
    (runs.folder / name).write_text(script)
    environment = {**REFUSES, "DATASTREAM_ENVIRONMENTS": str(runs.folder / "environments")}
    return runs.job(*args[: args.index("--")], name, *args[args.index("--") + 1 :], environment=environment)


def test_by_calls(bringing: Runs) -> None:
    run = start(bringing, BY_CALLS, "--")
    assert SEEN in run.succeed()
    run.assert_tidy()


def test_by_options(bringing: Runs) -> None:
    given = "-pyreq", "requirements.txt#wheels", "-pyfs", "tariffs.py,packed.zip", "-pyarch", "data.zip#data"
    assert "('2.0', 70)" in start(bringing, BY_OPTIONS, *given, "--").succeed()


def test_by_settings_and_from_a_module(bringing: Runs) -> None:
    (bringing.folder / "packages" / "prices").mkdir(parents=True)
    (bringing.folder / "packages" / "prices" / "__init__.py").write_text("")
    (bringing.folder / "packages" / "prices" / "job.py").write_text(BY_OPTIONS)
    settings = {
        "python.requirements": "requirements.txt#wheels",
        "python.files": "tariffs.py,packages",
        "python.archives": "data.zip#data",
    }
    given = [part for key, value in settings.items() for part in ("-D", f"{key}={value}")]
    environment = {**REFUSES, "DATASTREAM_ENVIRONMENTS": str(bringing.folder / "environments")}
    run = bringing.start(*datastream("run", *given, "-pym", "prices.job"), environment=environment)
    assert "('2.0', 70)" in run.succeed()


def test_on_the_local_executor(bringing: Runs) -> None:
    without = "\n".join(line for line in BY_CALLS.splitlines() if "archive" not in line and "factors =" not in line)
    run = start(bringing, without.replace("factors, ", ""), "--executor", "local", "--")
    assert "('2.0', 7, 2, 'packed', 'a model')" in run.succeed()
    refused = start(bringing, BY_CALLS, "--executor", "local", "--")
    assert refused.wait() == 2
    assert (
        "archives in the functions' folder, and the local executor runs functions in this very process" in refused.err
    )


def test_an_interpreter_in_an_archive(bringing: Runs) -> None:
    folder = bringing.folder
    subprocess.run([sys._base_executable, "-m", "venv", "--copies", "--without-pip", "venv"], cwd=folder, check=True)
    subprocess.run(["zip", "-qr", "../venv.zip", "."], cwd=folder / "venv", check=True)
    given = "-pyreq", "requirements.txt#wheels", "-pyarch", "venv.zip", "-pyexec", "venv.zip/bin/python"
    out = start(bringing, INTERPRETER, *given, "--").succeed()
    assert "work/venv.zip', '2.0')" in out


@pytest.mark.long
def test_an_interpreter_that_is_slow_to_start_is_waited_for(bringing: Runs) -> None:
    folder = bringing.folder
    subprocess.run([sys._base_executable, "-m", "venv", "--copies", "--without-pip", "venv"], cwd=folder, check=True)
    (site,) = folder.glob("venv/lib/python*/site-packages")
    (site / "slow.pth").write_text("import time; time.sleep(4)\n")
    given = "-pyreq", "requirements.txt#wheels", "-pyexec", "venv/bin/python"
    assert "venv', '2.0')" in start(bringing, INTERPRETER, *given, "--").succeed()


def test_two_jobs_with_versions_that_exclude_each_other(bringing: Runs) -> None:
    for name, version in (("one", "1.0"), ("two", "2.0")):
        (bringing.folder / f"{name}.txt").write_text(f"greeting=={version}\n")
    started = [start(bringing, VERSION, "--", name, name=f"{name}.py") for name in ("one", "two")]
    for run, version in zip(started, ("1.0", "2.0"), strict=True):
        assert run.succeed().split() == [version] * 3


#: What is wrong -> options, and what is said of it.
WRONG = {
    "no such package": (["-pyreq", "absent.txt#wheels"], "absent.txt cannot be installed"),
    "an old pandas": (["-pyreq", "pandas.txt#wheels"], "spark-datastream needs pandas"),
    "no archive": (["-pyarch", "nothing.zip"], "nothing.zip does not exist"),
    "an archive that leads out": (["-pyarch", "evil.zip"], "its member '../evil' leads out of it"),
    "a target outside": (["-pyarch", "data.zip#../x"], "is not inside of the workers' own folder"),
    "no interpreter": (["-pyexec", "nowhere/python"], "the interpreter nowhere/python does not exist"),
    "no script": (["-py", "nowhere.py"], "File 'nowhere.py' does not exist"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_before_the_first_epoch(bringing: Runs, what: str) -> None:
    options, says = WRONG[what]
    folder = bringing.folder
    (folder / "absent.txt").write_text("greeting==9\n")
    (folder / "pandas.txt").write_text("pandas==1.5.3\n")
    with zipfile.ZipFile(folder / "evil.zip", "w") as archive:
        archive.writestr("../evil", "")
    run = start(bringing, INTERPRETER, "--checkpoint-dir", folder / "checkpoint", *options, "--")
    assert run.wait() == 2, run.told()
    assert says in run.err and "Traceback" not in run.err
    assert not list((folder / "checkpoint").glob("commits/*"))
    run.assert_tidy()


@pytest.mark.long
def test_the_doctor_tells_what_a_job_needs(bringing: Runs) -> None:
    (bringing.folder / "job.py").write_text(BY_CALLS)
    environment = {**REFUSES, "DATASTREAM_ENVIRONMENTS": str(bringing.folder / "environments")}
    before = bringing.start(*datastream("doctor", "--job", "job.py"), environment=environment).succeed()
    for line in (
        "would be installed: greeting==2.0",
        "unpacked to data/",
        "cached file",
        "shared, a directory of 2 files",
    ):
        assert line in before
    assert not list(Path(bringing.folder, "environments").glob("packages/*"))
    start(bringing, BY_CALLS, "--").succeed()
    after = bringing.start(*datastream("doctor", "--job", "job.py"), environment=environment).succeed()
    assert "installed already" in after and "greeting-2.0" in after
