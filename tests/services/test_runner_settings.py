"""Where a runner's settings come from, which wins, and what is said of wrong ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from datastream.config.run_options import about
from datastream.errors import CheckpointError, ValidationError
from datastream.services.runner import command
from datastream.services.runner.environment import read_environment
from datastream.services.runner.scaled_settings import scaled
from datastream.services.runner.settings import FIELDS, Given, Layer, resolve
from datastream.services.runner.settings_file import read_file, read_text


def settings(*layers: Layer):
    return resolve([*layers, Layer({"module": Given("jobs.main", "test")})])


def test_flags_win_over_variables_and_these_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("port: 1\nname: file\nmaster: local[3]\nproperties:\n  a: file\n  b: file\n  c: file\n")
    variables, _ = read_environment(
        {"DATASTREAM_PORT": "2", "DATASTREAM_NAME": "variable", "DATASTREAM_PROPERTIES": "{a: variable, b: variable}"}
    )
    flags = Layer({"port": Given("3", "--port")}, {"a": Given("flag", "-D")})
    found = settings(flags, variables, read_file(file))
    assert (found.runner.port, found.runner.name, found.runner.master) == (3, "variable", "local[3]")
    assert found.properties == {"a": "flag", "b": "variable", "c": "file"}
    origins = found.origins
    assert [origins[name] for name in ("port", "name", "master", "grace")] == [
        "--port",
        "DATASTREAM_NAME",
        f"{file}:3",
        "default",
    ]
    assert [origins[key] for key in "abc"] == ["-D", "DATASTREAM_PROPERTIES", f"{file}:7"]


def test_a_file_sets_what_flags_set() -> None:
    layer = read_text(
        """
script: job.py
args: [--topic, 7]
parallelism: 2
checkpoint-dir: /var/lib/datastream
standby: true
grace: 12.5
properties:
  datastream.epoch.target-ms: 0500
  spark.driver.memory: 2g
  anything.else: yes
""",
        "job.yaml",
    )
    assert layer.settings["args"].value == ["--topic", "7"]
    del layer.settings["script"]
    found = settings(layer)
    own = found.runner
    assert (own.parallelism, own.checkpoint_dir, own.standby, own.grace) == (2, "/var/lib/datastream", True, 12.5)
    assert own.args == ("--topic", "7")
    # As written: YAML's own types would make 500 and True of these.
    assert found.properties == {
        "datastream.epoch.target-ms": "0500",
        "spark.driver.memory": "2g",
        "anything.else": "yes",
    }


@given(st.lists(st.text(), min_size=1), st.text(), st.text(min_size=1, max_size=100))
def test_texts_arrive_as_json_has_them(args: list[str], name: str, key: str) -> None:
    """Halves of characters, controls and ends of lines too: gateways and commands write JSON."""
    args.extend(["😀", "\x7f\x85\u2028\ufeff\ufffe", "\udcff", "*a", "&b", "null", "1e3", ""])
    text = json.dumps({"args": args, "name": name, "properties": {f"spark.{key}": name}})
    layer = read_text(text, "job.json")
    assert layer.settings["args"].value == [whole(arg) for arg in args]
    assert layer.settings["name"].value == whole(name)
    assert {key: given.value for key, given in layer.properties.items()} == {whole(f"spark.{key}"): whole(name)}


def whole(text: str) -> str:
    """As JSON has it: it knows no difference between a character and its two halves."""
    return str(json.loads(json.dumps(text)))


def test_an_empty_file_sets_nothing() -> None:
    assert read_text("# nothing yet\n", "job.yaml") == Layer()


WRONG = {
    "paralelism: 2": "job.yaml:1: there is no setting 'paralelism'; did you mean parallelism?",
    "checkpoint_dir: x": "job.yaml:1: there is no setting 'checkpoint_dir'; did you mean checkpoint-dir?",
    "a: 1": "job.yaml:1: there is no setting 'a'; there are script, ",
    "spark.driver.memory: 2g": "job.yaml:1: .*belong below `properties:`",
    "port: 1\n\nport: 2": "job.yaml:3: 'port' is set in line 1 already",
    "port:": "job.yaml:1: 'port' has no value",
    "port: [1]": "job.yaml:1: port: expected one value",
    "args: x": "job.yaml:1: args: expected a list",
    "args: [[x]]": "job.yaml:1: args: expected a list of texts",
    "- port": "job.yaml:1: expected settings such as",
    "port: 1\n  x: {": "job.yaml:2: this is not YAML",
    "properties: x": "job.yaml:1: properties: expected keys and values",
    "properties:\n  datastream.epoch.max-record: 1": "job.yaml:2: .*did you mean datastream.epoch.max-records?",
    "properties:\n  restart-strategy.tpye: none": "job.yaml:2: .*did you mean restart-strategy.type?",
    "properties:\n  spark: {driver.memory: 2g}": "job.yaml:2: properties: spark: expected one value",
    "properties:\n  a:": "job.yaml:2: properties: 'a' has no value",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_files_are_refused_with_file_and_line(text: str) -> None:
    with pytest.raises(ValidationError, match=WRONG[text]):
        read_text(text, "job.yaml")


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        read_text("prot: 1\nnmae: x\n", "job.yaml")
    assert str(caught.value).splitlines() == [
        "job.yaml:1: there is no setting 'prot'; did you mean port?",
        "job.yaml:2: there is no setting 'nmae'; did you mean name?",
    ]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="none.yaml cannot be read: No such file"):
        read_file(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValidationError, match="binary.yaml cannot be read: it is not UTF-8 text"):
        read_file(tmp_path / "binary.yaml")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("port", "http", "job.yaml:7: port: 'http' is not a valid integer"),
        ("port", "70000", "job.yaml:7: port: 70000 is not in the range"),
        ("parallelism", "0", "job.yaml:7: parallelism: 0 is not in the range"),
        ("grace", "-1", "job.yaml:7: grace: -1.0 is not in the range"),
        ("standby", "perhaps", "job.yaml:7: standby: 'perhaps' is not a valid boolean"),
        ("executor", "flink", "job.yaml:7: executor: 'flink' is not one of"),
    ],
)
def test_a_value_of_another_type_is_named_with_its_origin(name: str, value: str, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        settings(Layer({name: Given(value, "job.yaml:7")}))


def test_the_first_source_that_names_a_job_counts(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.touch()
    file = Layer({"module": Given("from.file", "job.yaml:1"), "args": Given(["x"], "job.yaml:2")})
    found = resolve([Layer({"script": Given(str(script), "argument")}), file]).runner
    assert (found.script, found.module, found.args) == (script, None, ("x",))
    with pytest.raises(ValidationError, match="nothing says which job to run"):
        resolve([Layer()])
    with pytest.raises(ValidationError, match="argument: script: there is a module or an archive, too"):
        resolve([Layer({"script": Given(str(script), "argument"), "module": Given("a", "-m")})])
    with pytest.raises(ValidationError, match="script: File '/none.py' does not exist"):
        resolve([Layer({"script": Given("/none.py", "DATASTREAM_SCRIPT")})])


def test_variables_name_properties() -> None:
    layer, unknown = read_environment(
        {
            "DATASTREAM_PROPERTIES__DATASTREAM_EPOCH_TARGET_MS": "500",
            "DATASTREAM_PROPERTIES__RESTART_STRATEGY__TYPE": "none",
            "DATASTREAM_PROPERTIES__spark__driver__extraJavaOptions": "-Da=b",
            "DATASTREAM_PROPERTIES__spark.executor.memory": "1g",
            "DATASTREAM_PROPERTIES": "spark.a: 1\nspark.b: 2\n",
            "DATASTREAM_ARGS": "--topic 'two words'",
        }
    )
    assert {key: given.value for key, given in layer.properties.items()} == {
        "datastream.epoch.target-ms": "500",
        "restart-strategy.type": "none",
        "spark.driver.extraJavaOptions": "-Da=b",
        "spark.executor.memory": "1g",
        "spark.a": "1",
        "spark.b": "2",
    }
    assert layer.settings["args"].value == ["--topic", "two words"]
    assert unknown == []


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("DATASTREAM_CHEKPOINT_DIR", "/x", "did you mean DATASTREAM_CHECKPOINT_DIR?"),
        ("DATASTREAM_CONFIGS", "/x", "did you mean DATASTREAM_CONFIG?"),
        (
            "DATASTREAM_PROPERTIES__DATASTREAM_EPOCH_MAX_RECORD",
            "1",
            "did you mean DATASTREAM_PROPERTIES__DATASTREAM_EPOCH_MAX_RECORDS?",
        ),
        ("DATASTREAM_PROPERTIES__SPARK_DRIVER_MEMORY", "1g", "write other keys in their own case"),
        ("DATASTREAM_PROPERTIES__datastream__epoch__max", "1", "there is no setting 'datastream.epoch.max'"),
        ("DATASTREAM_PROPERTIES", "[1", "DATASTREAM_PROPERTIES:.*this is not YAML"),
        ("DATASTREAM_ARGS", "'open", "No closing quotation; quote as in a shell"),
    ],
)
def test_wrong_variables_are_refused(variable: str, value: str, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        read_environment({variable: value})


def test_variables_of_others_are_left_alone() -> None:
    """Kubernetes sets variables for each service; one named `datastream` would look like our port."""
    layer, unknown = read_environment(
        {
            "DATASTREAM_PORT": "tcp://10.0.0.1:9249",
            "DATASTREAM_SERVICE_HOST": "10.0.0.1",
            "DATASTREAM_SERVICE_PORT_HTTP": "9249",
            "DATASTREAM_PORT_9249_TCP_ADDR": "10.0.0.1",
            "DATASTREAM_RUNNER_SERVICE_PORT": "9249",
            "DATASTREAM_JAVA_ARCHIVE": "off",
            "DATASTREAM_NAME": "",
            "DATASTREAM_SOMETHING": "else",
            "PATH": "/bin",
        }
    )
    assert layer == Layer()
    assert unknown == ["DATASTREAM_SOMETHING"]


def test_secrets_are_not_shown() -> None:
    layer = Layer(
        {
            "args": Given(["--password", "pw1", "--api-key=pw2", "--db", "postgresql://me:pw3@db/x"], "arguments"),
            "checkpoint-dir": Given("s3a://key:pw4@bucket/x", "--checkpoint-dir"),
        },
        {
            "spark.hadoop.fs.s3a.secret.key": Given("pw5", "-D"),
            "spark.hadoop.fs.s3a.access.key": Given("pw6", "-D"),
            "spark.driver.extraJavaOptions": Given("-Djavax.net.ssl.trustStorePassword=pw7 -Xmx1g", "-D"),
            "spark.executor.memory": Given("1g", "-D"),
        },
    )
    shown = settings(layer).shown()
    assert "pw" not in str(shown)
    assert shown["args"]["value"][:3] == ["--password", "[hidden]", "--api-key=[hidden]"]
    assert shown["spark.driver.extraJavaOptions"]["value"].endswith("=[hidden] -Xmx1g")
    assert shown["spark.executor.memory"] == {"value": "1g", "from": "-D"}


def test_without_its_extra_the_runner_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    said = CliRunner().invoke(command.command, ["job.py"])
    assert said.exit_code == 2
    assert "pip install 'spark-datastream[runner]'" in said.output


def test_the_page_has_all_settings() -> None:
    page = (Path(__file__).parents[2] / "docs" / "runner.md").read_text()
    rows = re.findall(r"^\| (.*?) \| `DATASTREAM_(\w+)`.*? \| `([a-z-]+)`.*? \| (.*?) \|", page, re.MULTILINE)
    assert [row[2] for row in rows] == list(FIELDS)
    for flags, variable, key, default in rows:
        assert variable == key.upper().replace("-", "_")
        assert flags.startswith(("argument", "none: ")) or f"`--{key}`" in flags
        default_of, short = FIELDS[key].default, about(FIELDS[key]).short
        assert short is None or f"`{short}`" in flags
        if default_of not in (None, ()):
            shown = default_of if not isinstance(default_of, bool) else str(default_of).lower()
            assert default.strip("`") == (f"{shown:g}" if isinstance(shown, float) else str(shown)), key


def test_what_upgrades_and_scaling_need() -> None:
    def refused(**given: str) -> str:
        layer = Layer({name.replace("_", "-"): Given(value, f"--{name}") for name, value in given.items()})
        with pytest.raises(ValidationError) as error:
            settings(layer)
        return str(error.value)

    assert "--upgrade: upgrade: savepoint needs a checkpoint-dir" in refused(upgrade="savepoint")
    assert "needs the executor spark" in refused(upgrade="savepoint", checkpoint_dir="c", executor="local")
    assert "--scaling_min: scaling-min needs scaling-max" in refused(scaling_min="1")
    assert "scaling-max needs upgrade: savepoint" in refused(scaling_min="1", scaling_max="2", checkpoint_dir="c")
    assert "scaling-cooldown has no effect" in refused(scaling_cooldown="1")
    given = {"upgrade": "savepoint", "checkpoint_dir": "c", "scaling_min": "4", "scaling_max": "2"}
    assert "scaling-min: it is 4, and scaling-max 2" in refused(**given)
    assert "by a path, got s3a://b" in refused(**{**given, "scaling_min": "1", "checkpoint_dir": "s3a://b"})


def test_a_job_that_is_scaled_has_the_parallelism_that_was_decided_last(tmp_path: Path) -> None:
    def parallelism(**given: str) -> tuple[int | None, str | None, str | None]:
        values = {
            "upgrade": "savepoint",
            "checkpoint_dir": str(tmp_path),
            "scaling_min": "2",
            "scaling_max": "8",
            **given,
        }
        layer = Layer({name.replace("_", "-"): Given(value, "test") for name, value in values.items()})
        found = scaled(settings(layer, Layer({}, {"spark.executor.cores": Given("3", "test")})))
        return found.runner.parallelism, found.runner.master, found.properties.get("spark.executor.instances")

    assert parallelism() == (2, None, None)
    assert parallelism(parallelism="3", master="local[3]") == (3, "local[3]", None)
    assert parallelism(parallelism="20", master="local[*]") == (8, "local[*]", None)
    (tmp_path / "generations.json").write_text('{"parallelism": 4}')
    assert parallelism(parallelism="3", master="local[3]") == (4, "local[4]", None)
    assert parallelism(master="k8s://https://api") == (4, "k8s://https://api", "2")
    (tmp_path / "generations.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"generations\.json is damaged"):
        parallelism()
