"""What is accepted without effect: it says so once, keeps what was set, and the job runs as without it."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

import datastream.without_effect as marks
from datastream import (
    CheckpointingMode,
    ConfigOptions,
    Configuration,
    CustomCheckpointStorage,
    CustomStateBackend,
    EmbeddedRocksDBStateBackend,
    FileSystemCheckpointStorage,
    HashMapStateBackend,
    JobManagerCheckpointStorage,
    PredefinedOptions,
    RestartStrategies,
    StreamExecutionEnvironment,
)
from datastream.config import ExternalizedCheckpointRetention
from datastream.connectors import InputFormat
from datastream.connectors.files import FileCompactor, FileCompactStrategy, FileSink, OutputFileConfig
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.formats import Encoder
from datastream.io import Sink, Source
from datastream.time import Duration


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(marks, "_warned", set())
    monkeypatch.setattr(StreamExecutionEnvironment, "_default_local_parallelism", None)


@pytest.fixture
def env():
    return StreamExecutionEnvironment.get_execution_environment()


def test_a_warning_once_with_the_reason(env, caplog):
    with caplog.at_level(logging.WARNING, "datastream"):
        env.set_buffer_timeout(5)
        env.set_buffer_timeout(6)
    assert [record.getMessage() for record in caplog.records] == [
        "StreamExecutionEnvironment.set_buffer_timeout has no effect: "
        "blocks of records leave when they are full or the epoch ends"
    ]
    assert env.get_buffer_timeout() == 6


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda env: env.enable_changelog_state_backend(True), "Spark's state store"),
        (
            lambda env: env.get_checkpoint_config().set_checkpointing_mode(CheckpointingMode.AT_LEAST_ONCE),
            "exactly once",
        ),
        (lambda env: env.get_checkpoint_config().enable_unaligned_checkpoints(), "no barriers"),
        (lambda env: env.from_collection([1]).slot_sharing_group("g"), "Spark schedules whole stages"),
        (lambda env: HashMapStateBackend(), "Spark's state store"),
        (lambda env: FileSystemCheckpointStorage("file:///tmp/c"), "--checkpoint-dir"),
    ],
)
def test_what_changes_nothing_says_so(env, caplog, call, says):
    with caplog.at_level(logging.WARNING, "datastream"):
        call(env)
    (record,) = caplog.records
    assert "has no effect: " in record.getMessage() and says in record.getMessage()


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.enable_checkpointing(100, CheckpointingMode.EXACTLY_ONCE),
        lambda env: env.get_config().enable_object_reuse(),
        lambda env: env.get_checkpoint_config().set_max_concurrent_checkpoints(1),
        lambda env: env.get_checkpoint_config().set_externalized_checkpoint_retention(
            ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION
        ),
    ],
)
def test_what_is_so_anyway_says_nothing(env, caplog, call):
    with caplog.at_level(logging.WARNING, "datastream"):
        call(env)
    assert caplog.records == []


def test_settings_are_returned(env):
    assert env.is_chaining_of_operators_with_different_max_parallelism_enabled() is True
    assert env.get_checkpointing_consistency_mode() is CheckpointingMode.AT_LEAST_ONCE
    assert env.enable_checkpointing(100).get_checkpointing_consistency_mode() is CheckpointingMode.EXACTLY_ONCE
    assert env.is_changelog_state_backend_enabled() is None
    assert env.enable_changelog_state_backend(False).is_changelog_state_backend_enabled() is False
    assert env.get_default_savepoint_directory() is None
    assert env.set_default_savepoint_directory("file:///tmp/s").get_default_savepoint_directory() == "file:/tmp/s"
    assert not env.is_unaligned_checkpoints_enabled() and not env.is_force_unaligned_checkpoints()
    env.get_checkpoint_config().enable_unaligned_checkpoints().set_force_unaligned_checkpoints()
    assert env.is_unaligned_checkpoints_enabled() and env.is_force_unaligned_checkpoints()


def test_the_default_parallelism_of_new_environments(env):
    before = env.get_parallelism()
    StreamExecutionEnvironment.set_default_local_parallelism(before + 3)
    assert env.get_parallelism() == before
    assert StreamExecutionEnvironment.get_default_local_parallelism() == before + 3
    assert StreamExecutionEnvironment().get_parallelism() == before + 3
    assert StreamExecutionEnvironment().set_parallelism(2).get_parallelism() == 2
    with pytest.raises(ValidationError, match="at least 1"):
        env.set_default_local_parallelism(0)


def test_files_that_are_named_must_exist(env, tmp_path):
    with pytest.raises(ValidationError, match="set_python_requirements: .*/nothing.txt does not exist"):
        env.set_python_requirements(str(tmp_path / "nothing.txt"))


def test_checkpoints_as_in_flink(env):
    checkpoints = env.get_checkpoint_config()
    assert checkpoints.get_aligned_checkpoint_timeout() == checkpoints.get_alignment_timeout() == Duration.of_millis(0)
    checkpoints.set_alignment_timeout(Duration.of_seconds(3))
    assert checkpoints.get_aligned_checkpoint_timeout() == Duration.of_seconds(3)
    for wrong in (lambda: env.enable_checkpointing(9), lambda: checkpoints.set_checkpoint_timeout(9)):
        with pytest.raises(ValidationError, match="at least 10"):
            wrong()


def test_a_configuration_keeps_the_types_of_its_values():
    conf = Configuration().set_integer("i", 3).set_float("f", 2).set_boolean("b", True).set_string("s", "x")
    target: dict = {}
    conf.add_all_to_dict(target)
    assert target == {"i": 3, "f": 2.0, "b": True, "s": "x"} and target["b"] is True
    assert Configuration().set_integer("k", 3) != Configuration().set_string("k", "3")
    assert Configuration().set_bytearray("k", bytearray(b"ab")).to_dict() == {"k": "!!binary |-\n  YWI="}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (1e-5, "1.0E-5"), (123456789.0, "1.23456789E8"), (1e7, "1.0E7"), (9999999.0, "9999999.0"),
     (-0.0, "-0.0"), (0.001, "0.001"), (0.0009, "9.0E-4"), (float("inf"), ".inf"), (float("nan"), ".nan")],
)  # fmt: skip
def test_floats_of_a_configuration_as_text(value, text):
    assert Configuration().set_float("k", value).get_string("k", "") == text


@pytest.mark.parametrize("text", [" 7", "1_0", "1.5", str(2**63), ""])
def test_integers_of_a_configuration_are_strict(text):
    with pytest.raises(ValidationError, match="expected an integer"):
        Configuration().set_string("k", text).get_integer("k", 0)


def test_restart_strategies():
    fixed = RestartStrategies.fixed_delay_restart(3, 1000)
    assert fixed == RestartStrategies.fixed_delay_restart(3, timedelta(seconds=1))
    assert hash(fixed) != hash(RestartStrategies.fixed_delay_restart(4, 1000))
    assert (fixed.get_restart_attempts(), fixed.get_delay_between_attempts_interval()) == (3, timedelta(seconds=1))
    rate = RestartStrategies.failure_rate_restart(2, 60_000, 10)
    assert rate.get_max_failure_rate() == 2
    assert (rate.get_failure_interval(), rate.get_delay_between_attempts_interval().microseconds) == (
        timedelta(minutes=1),
        10_000,
    )
    assert "3 restart attempts" in fixed.get_description() and "60000 ms" in rate.get_description()
    assert RestartStrategies.no_restart() == RestartStrategies.no_restart() != RestartStrategies.fall_back_restart()
    with pytest.raises(ValidationError, match="failure_interval must be a number of ms or a timedelta"):
        RestartStrategies.failure_rate_restart(1, "1 s", 10)


def test_config_options():
    option = ConfigOptions.key("a").int_type().default_value(3)
    assert (option.key, option.type, option.default) == ("a", int, 3)
    assert ConfigOptions.key("a").string_type().no_default_value().default is None
    assert ConfigOptions.key("a").long_type().default_value(2**40).default == 2**40
    for wrong in (2**31, "x", True, 1.5):
        with pytest.raises(ValidationError, match="expected a default of"):
            ConfigOptions.key("a").int_type().default_value(wrong)
    with pytest.raises(ValidationError, match="the key"):
        ConfigOptions.key("")


def test_state_backends():
    backend = EmbeddedRocksDBStateBackend(True)
    assert backend.is_incremental_checkpoints_enabled() and backend.get_options() is None
    backend.set_db_storage_paths("/a", "/b")
    assert backend.get_db_storage_paths() == ["/a", "/b"]
    backend.set_predefined_options(PredefinedOptions.FLASH_SSD_OPTIMIZED)
    assert backend.get_predefined_options() is PredefinedOptions.FLASH_SSD_OPTIMIZED
    assert backend.get_number_of_transfer_threads() == 4
    backend.set_number_of_transfer_threads(8)
    assert backend.get_number_of_transfer_threads() == 8
    with pytest.raises(UnsupportedOperation, match="spark.sql.streaming.stateStore.rocksdb"):
        backend.set_options("a.Factory")
    with pytest.raises(UnsupportedOperation, match="Java classes"):
        CustomStateBackend(None)
    with pytest.raises(ValidationError):
        EmbeddedRocksDBStateBackend("yes")


def test_checkpoint_storages():
    memory = JobManagerCheckpointStorage()
    assert (memory.get_checkpoint_path(), memory.get_savepoint_path()) == (None, None)
    assert memory.get_max_state_size() == JobManagerCheckpointStorage.DEFAULT_MAX_STATE_SIZE == 5 * 1024 * 1024
    folder = FileSystemCheckpointStorage("file:///tmp/c", 100)
    assert (folder.get_checkpoint_path(), folder.get_min_file_size_threshold()) == ("file:/tmp/c", 100)
    assert folder.get_write_buffer_size() == 4096
    for wrong in ((None,), ("/c",), ("file:///c", 2**21)):
        with pytest.raises(ValidationError):
            FileSystemCheckpointStorage(*wrong)
    with pytest.raises(UnsupportedOperation, match="Java classes"):
        CustomCheckpointStorage(None)


def test_nested_builders(tmp_path):
    config = OutputFileConfig.OutputFileConfigBuilder().with_part_prefix("p").with_part_suffix(".txt").build()
    assert config == OutputFileConfig("p", ".txt")
    builder = FileSink.for_row_format(str(tmp_path), Encoder.simple_string_encoder())
    assert isinstance(builder, FileSink.RowFormatBuilder) and isinstance(builder, FileSink.BaseBuilder)
    strategy = FileCompactStrategy.builder().set_size_threshold(1024).set_num_compact_threads(2).build()
    assert (strategy.size_threshold, strategy.num_compact_threads) == (1024, 2)
    assert FileCompactor.concat_file_compactor(b"\n").file_delimiter == b"\n"
    with pytest.raises(UnsupportedOperation, match="RollingPolicy"):
        builder.enable_compact(strategy, FileCompactor.identical_file_compactor())
    with pytest.raises(ValidationError, match="enable_compaction_on_checkpoint or set_size_threshold"):
        FileCompactStrategy.builder().build()


@pytest.mark.parametrize("base", [Source, Sink, InputFormat])
def test_java_classes_are_refused(base):
    with pytest.raises(UnsupportedOperation, match="Java"):
        base("org.example.Thing")
