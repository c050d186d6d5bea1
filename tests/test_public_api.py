"""The public names, pinned; and PyFlink's methods, present or refused on purpose."""

from __future__ import annotations

import datastream
from datastream import DataStream, DataStreamSink, JobClient, KeyedStream, StreamExecutionEnvironment

#: Methods of pyflink 2.3 that this version does not have, and why.
REFUSED = {
    StreamExecutionEnvironment: {
        "add_classpaths": "no Java code of the user's runs here",
        "enable_changelog_state_backend": "Spark's changelog checkpointing is always on",
        "is_changelog_state_backend_enabled": "Spark's changelog checkpointing is always on",
        "get_checkpointing_consistency_mode": "a later version",
        "get_default_local_parallelism": "the parallelism of a local master is its cores",
        "set_default_local_parallelism": "the parallelism of a local master is its cores",
        "get_default_savepoint_directory": "savepoints come later",
        "set_default_savepoint_directory": "savepoints come later",
        "is_chaining_of_operators_with_different_max_parallelism_enabled": "chains never depend on it",
        "is_force_unaligned_checkpoints": "epochs have no barriers",
        "is_unaligned_checkpoints_enabled": "epochs have no barriers",
        "register_cached_file": "a later version (Python environments)",
        "set_python_requirements": "a later version (Python environments)",
        "add_python_archive": "a later version (Python environments)",
        "set_python_executable": "a later version (Python environments)",
    },
}

METHODS = {
    StreamExecutionEnvironment: """
        get_config set_parallelism set_max_parallelism register_slot_sharing_group get_parallelism
        get_max_parallelism set_runtime_mode set_buffer_timeout get_buffer_timeout disable_operator_chaining
        is_chaining_enabled is_chaining_of_operators_with_different_max_parallelism_enabled get_checkpoint_config
        enable_checkpointing get_checkpoint_interval get_checkpointing_mode get_checkpointing_consistency_mode
        enable_changelog_state_backend is_changelog_state_backend_enabled set_default_savepoint_directory
        get_default_savepoint_directory configure add_python_file set_python_requirements add_python_archive
        set_python_executable add_jars add_classpaths get_default_local_parallelism set_default_local_parallelism
        execute execute_async get_execution_plan register_cached_file get_execution_environment create_input
        add_source from_source from_collection is_unaligned_checkpoints_enabled is_force_unaligned_checkpoints close
    """,
    DataStream: """
        get_name name uid set_uid_hash set_parallelism set_max_parallelism get_type get_execution_environment
        get_execution_config force_non_parallel set_buffer_timeout start_new_chain disable_chaining
        slot_sharing_group set_description map flat_map key_by filter window_all union connect shuffle project
        rescale rebalance forward broadcast process assign_timestamps_and_watermarks partition_custom add_sink
        sink_to execute_and_collect print get_side_output cache
    """,
    KeyedStream: """
        map flat_map reduce filter sum min max min_by max_by add_sink key_by process window count_window union
        connect shuffle project rescale rebalance forward broadcast partition_custom print set_parallelism name
        get_name uid set_uid_hash set_max_parallelism force_non_parallel set_buffer_timeout start_new_chain
        disable_chaining slot_sharing_group cache
    """,
    DataStreamSink: """
        name uid set_uid_hash set_parallelism set_description disable_chaining slot_sharing_group
    """,
    JobClient: """
        get_job_id get_job_status cancel stop_with_savepoint trigger_savepoint get_accumulators
        get_job_execution_result
    """,
}


def test_methods_of_pyflink_are_there_or_refused_with_a_reason() -> None:
    for owner, names in METHODS.items():
        refused = REFUSED.get(owner, {})
        missing = {name for name in names.split() if not hasattr(owner, name)}
        assert missing == set(refused), owner.__name__


def test_every_public_name_resolves() -> None:
    for name in datastream.__all__:
        assert getattr(datastream, name) is not None
    assert len(datastream.__all__) == len(set(datastream.__all__))


def test_a_wrong_name_is_an_attribute_error() -> None:
    assert not hasattr(datastream, "NoSuchThing")
