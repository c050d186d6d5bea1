"""Configuration and the configs that are views of it."""

import copy
import logging
import re
from pathlib import Path

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config import (
    CheckpointConfig,
    CheckpointingMode,
    Configuration,
    ExecutionConfig,
    ExternalizedCheckpointRetention,
    MemorySize,
    SlotSharingGroup,
)
from datastream.config.known_keys import FLINK_KEYS, OUR_KEYS, check_keys
from datastream.errors import ValidationError
from datastream.time import Duration


def test_reads_text_as_numbers_and_booleans():
    conf = Configuration.from_dict({"i": "12", "f": "1.5", "b": "TRUE", "s": "x"})
    assert conf.get_integer("i", 0) == 12
    assert conf.get_float("f", 0) == 1.5
    assert conf.get_float("i", 0) == 12.0
    assert conf.get_boolean("b", False) is True
    assert conf.get_string("s", "") == "x"


def test_reads_numbers_and_booleans_as_text():
    conf = Configuration().set_integer("i", 12).set_boolean("b", True).set_float("f", 2)
    assert conf.to_dict() == {"i": "12", "b": "true", "f": "2.0"}
    assert conf.get_string("b", "") == "true"


def test_defaults():
    conf = Configuration()
    assert conf.get_string("k", "d") == "d"
    assert conf.get_integer("k", 3) == 3
    assert conf.get_boolean("k", True) is True
    assert conf.get_float("k", 3) == 3.0
    assert conf.get_bytearray("k", bytearray(b"d")) == b"d"


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda c: c.get_integer("k", 0), "an integer"),
        (lambda c: c.get_float("k", 0), "a number"),
        (lambda c: c.get_boolean("k", False), "true or false"),
        (lambda c: c.get_bytearray("k", bytearray()), "bytes"),
        (lambda c: c.get_duration_ms("k", 0), "an amount of time"),
    ],
)
def test_errors_name_key_value_and_expectation(read, expected):
    conf = Configuration.from_dict({"k": "many"})
    with pytest.raises(ValidationError, match=f"'k' is 'many': expected {expected}"):
        read(conf)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("200", 200),
        ("200 ms", 200),
        ("3 min", 180_000),
        ("1d", 86_400_000),
        ("2 s", 2000),
        ("1 h", 3_600_000),
        ("PT10S", 10_000),
        ("pt1h30m", 5_400_000),
        ("P1DT0.5S", 86_400_500),
        ("5000 micros", 5),
    ],
)
def test_durations(text, ms):
    assert Configuration.from_dict({"k": text}).get_duration_ms("k", 0) == ms


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("", []),
        ("a;b", ["a", "b"]),
        ("a", ["a"]),
        ("'a;b';c", ["a;b", "c"]),
        ("[a, b]", ["a", "b"]),
        ("['a, b', \"c\"]", ["a, b", "c"]),
        ("[]", []),
        ("- a\n- b", ["a", "b"]),
        ("file:///x.jar;file:///y.jar", ["file:///x.jar", "file:///y.jar"]),
    ],
)
def test_parse_list_value(text, items):
    assert Configuration.parse_list_value(text) == items


@pytest.mark.parametrize("text", ["[a, b", "[[a], b]"])
def test_parse_list_value_refuses(text):
    with pytest.raises(ValidationError, match="list"):
        Configuration.parse_list_value(text)


def test_add_all_and_remove():
    conf = Configuration.from_dict({"a": "1"})
    conf.add_all(Configuration.from_dict({"b": "2"})).add_all(Configuration.from_dict({"c": "3"}), "p.")
    assert conf.key_set() == {"a", "b", "p.c"}
    assert conf.contains_key("p.c")
    assert conf.remove_config("a") is True
    assert conf.remove_config("a") is False
    target = {"z": "0"}
    conf.add_all_to_dict(target)
    assert target == {"z": "0", "b": "2", "p.c": "3"}


def test_copies_and_equality():
    conf = Configuration.from_dict({"a": "1"})
    twin, deep = Configuration(conf), copy.deepcopy(conf)
    assert conf == twin == deep
    assert hash(conf) == hash(twin)
    conf.set_string("a", "2")
    assert twin.get_string("a", "") == deep.get_string("a", "") == "1"
    assert str(twin) == "{a=1}"


def test_bytes():
    conf = Configuration().set_bytearray("k", bytearray(b"\x00\xff"))
    assert conf.get_bytearray("k", bytearray()) == bytearray(b"\x00\xff")


def test_execution_config_is_a_view():
    conf = Configuration.from_dict({"pipeline.auto-watermark-interval": "1 s", "parallelism.default": "4"})
    execution = ExecutionConfig(conf)
    assert execution.get_auto_watermark_interval() == 1000
    assert execution.get_parallelism() == 4
    execution.set_parallelism(ExecutionConfig.PARALLELISM_DEFAULT).set_max_parallelism(64)
    assert execution.get_parallelism() == -1
    assert conf.to_dict()["pipeline.max-parallelism"] == "64"
    with pytest.raises(ValidationError, match="parallelism.default"):
        execution.set_parallelism(0)


def test_execution_config_keeps_flags():
    execution = ExecutionConfig()
    assert execution.is_closure_cleaner_enabled()
    assert not execution.disable_closure_cleaner().is_closure_cleaner_enabled()
    assert execution.disable_generic_types().has_generic_types_disabled()
    assert not execution.disable_auto_generated_uids().has_auto_generated_uids_enabled()
    assert execution.enable_object_reuse().is_object_reuse_enabled()
    assert execution.enable_force_kryo().is_force_kryo_enabled()
    assert execution.set_use_snapshot_compression(True).is_use_snapshot_compression()


def test_global_job_parameters():
    execution = ExecutionConfig().set_global_job_parameters({"a": "x:y,z", "n": 1})
    assert execution.get_global_job_parameters() == {"a": "x:y,z", "n": "1"}
    flink = Configuration.from_dict({"pipeline.global-job-parameters": "a:1,b:2"})
    assert ExecutionConfig(flink).get_global_job_parameters() == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("", {}),
        ("a:1", {"a": "1"}),
        (" a : 1 , b:2,", {"a": "1", "b": "2"}),
        ("url:http://host:80/a", {"url": "http://host:80/a"}),
        ("url:'http://host/?a,b',n:'it''s'", {"url": "http://host/?a,b", "n": "it's"}),
        ("{a: 1, 'b:c': \"d, e\"}", {"a": "1", "b:c": "d, e"}),
        ('{"a": "x:y,z", "n": 1}', {"a": "x:y,z", "n": "1"}),
        ("{}", {}),
        ("a:", {"a": ""}),
    ],
)
def test_global_job_parameters_as_text(text, parameters):
    conf = Configuration.from_dict({"pipeline.global-job-parameters": text})
    assert ExecutionConfig(conf).get_global_job_parameters() == parameters


@pytest.mark.parametrize("text", ["a", "a:1,b", "{a: 1", "{a}", ",", "a:'x"])
def test_refuses_other_global_job_parameters(text):
    conf = Configuration.from_dict({"pipeline.global-job-parameters": text})
    with pytest.raises(ValidationError, match="expected 'k1:v1,k2:v2'"):
        ExecutionConfig(conf).get_global_job_parameters()


def test_checkpoint_config():
    conf = Configuration.from_dict({"execution.checkpointing.mode": "at-least-once"})
    checkpoints = CheckpointConfig(conf)
    assert not checkpoints.is_checkpointing_enabled()
    assert checkpoints.get_checkpointing_mode() is CheckpointingMode.AT_LEAST_ONCE
    checkpoints.set_checkpoint_interval(500).set_checkpointing_mode(CheckpointingMode.EXACTLY_ONCE)
    assert checkpoints.is_checkpointing_enabled()
    assert checkpoints.get_checkpoint_interval() == 500
    assert checkpoints.get_checkpointing_mode() is CheckpointingMode.EXACTLY_ONCE
    assert not checkpoints.is_externalized_checkpoints_enabled()
    checkpoints.set_externalized_checkpoint_retention(ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION)
    assert checkpoints.is_externalized_checkpoints_enabled()
    assert not checkpoints.set_fail_on_checkpointing_errors(False).is_fail_on_checkpointing_errors()
    assert checkpoints.set_alignment_timeout(Duration.of_seconds(1)).get_aligned_checkpoint_timeout() == (
        Duration.of_millis(1000)
    )
    with pytest.raises(ValidationError, match="interval"):
        checkpoints.set_checkpoint_interval(0)
    with pytest.raises(ValidationError, match="CheckpointingMode"):
        checkpoints.set_checkpointing_mode("exactly once")


def test_memory_size():
    size = MemorySize.of_mebi_bytes(2048)
    assert (size.get_bytes(), size.get_mebi_bytes(), size.get_gibi_bytes()) == (2 << 30, 2048, 2)
    assert (str(size), str(MemorySize(1025)), str(MemorySize(0))) == ("2 gb", "1025 bytes", "0 bytes")
    assert MemorySize(bytes_size=1) < MemorySize(2)
    with pytest.raises(ValidationError):
        MemorySize(-1)


def test_slot_sharing_group():
    builder = SlotSharingGroup.builder("g").set_cpu_cores(1.5).set_task_heap_memory_mb(64)
    group = builder.set_external_resource("gpu", 1.0).build()
    assert group.get_name() == "g"
    assert group.get_task_heap_memory() == MemorySize.of_mebi_bytes(64)
    assert group.get_managed_memory() == MemorySize(0)
    assert group.get_external_resources() == {"gpu": 1.0}
    assert SlotSharingGroup.builder("g").build().get_cpu_cores() is None
    with pytest.raises(ValidationError, match="both required"):
        SlotSharingGroup.builder("g").set_cpu_cores(1.0).build()


def test_the_known_keys_are_those_of_the_page() -> None:
    page = (Path(__file__).parents[1] / "docs" / "settings.md").read_text()
    assert set(re.findall(r"^\| `([a-z.-]+)` \|", page, re.MULTILINE)) == {*OUR_KEYS, *FLINK_KEYS}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("datastream.epoch.maxrecords", "did you mean datastream.epoch.max-records?"),
        ("datastream.quite-another", "there are datastream.epoch.max-records, datastream.epoch.target-ms, "),
    ],
)
def test_a_misspelt_setting_of_ours_is_refused(key: str, text: str) -> None:
    env = StreamExecutionEnvironment(Configuration.from_dict({key: "3"}))
    env.from_collection([1]).print()
    with pytest.raises(ValidationError, match=f"there is no setting '{key}'; ") as caught:
        env.execute()
    assert text in str(caught.value)


def test_a_misspelt_setting_of_flinks_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "datastream"):
        check_keys(["paralelism.default", "execution.checkpointing.mode", "pipeline.name", "spark.x", *FLINK_KEYS])
    assert [r.getMessage() for r in caplog.records] == [
        "the setting 'paralelism.default' is unknown; did you mean parallelism.default?"
    ]
