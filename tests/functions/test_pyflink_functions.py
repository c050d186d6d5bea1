"""Every class, method and function of PyFlink's DataStream API is here with its parameters, or refused for a reason.

What connectors, formats and types hold is looked at in tests/types/test_pyflink_names.py.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import datastream.compat as compat

#: PyFlink's module -> its classes with their methods' parameters, and its functions; of PyFlink 2.3.
API = json.loads((Path(__file__).parents[1] / "data" / "pyflink_datastream_api.json").read_text())

#: What `pyflink.metrics` answers to.
METRICS = ("Counter", "Distribution", "Meter", "Metric", "MetricGroup")

JAVA = "wraps an object of Java"
HASHING = "part of the hash of PyFlink's TimeWindow"
BACKEND = "state is kept in Spark's state store, which spark.sql.streaming.stateStore.* sets up"
STORAGE = "checkpoints are folders: --checkpoint-dir"
LOCAL = "the parallelism of a local master is its cores"
CHANGELOG = "Spark's changelog checkpointing is always on"
SAVEPOINTS = "savepoints come later"
BARRIERS = "epochs have no barriers"
ENVIRONMENTS = "a later version (Python environments)"

#: Classes, methods as Class.method, and functions that are not here.
REFUSED = {
    "AssignerWithPeriodicWatermarksWrapper": JAVA,
    "CheckpointStorage": STORAGE,
    "CustomCheckpointStorage": JAVA,
    "CustomStateBackend": JAVA,
    "EmbeddedRocksDBStateBackend": BACKEND,
    "FileSystemCheckpointStorage": STORAGE,
    "HashMapStateBackend": BACKEND,
    "JobManagerCheckpointStorage": STORAGE,
    "MemorySize.get_java_memory_size": JAVA,
    "OutputTag.get_java_output_tag": JAVA,
    "PredefinedOptions": BACKEND,
    "SlotSharingGroup.get_java_slot_sharing_group": JAVA,
    "StateBackend": BACKEND,
    "StreamExecutionEnvironment.add_python_archive": ENVIRONMENTS,
    "StreamExecutionEnvironment.enable_changelog_state_backend": CHANGELOG,
    "StreamExecutionEnvironment.get_checkpointing_consistency_mode": "a later version",
    "StreamExecutionEnvironment.get_default_local_parallelism": LOCAL,
    "StreamExecutionEnvironment.get_default_savepoint_directory": SAVEPOINTS,
    "StreamExecutionEnvironment.is_chaining_of_operators_with_different_max_parallelism_enabled": (
        "chains never depend on it"
    ),
    "StreamExecutionEnvironment.is_changelog_state_backend_enabled": CHANGELOG,
    "StreamExecutionEnvironment.is_force_unaligned_checkpoints": BARRIERS,
    "StreamExecutionEnvironment.is_unaligned_checkpoints_enabled": BARRIERS,
    "StreamExecutionEnvironment.register_cached_file": ENVIRONMENTS,
    "StreamExecutionEnvironment.set_default_local_parallelism": LOCAL,
    "StreamExecutionEnvironment.set_default_savepoint_directory": SAVEPOINTS,
    "StreamExecutionEnvironment.set_python_executable": ENVIRONMENTS,
    "StreamExecutionEnvironment.set_python_requirements": ENVIRONMENTS,
    "convert_to_python_obj": JAVA,
    "create_hadoop_configuration": JAVA,
    "create_java_properties": JAVA,
    "long_to_int_with_bit_mixing": HASHING,
    "mod_inverse": HASHING,
    "pickled_bytes_to_python_obj": JAVA,
}

#: Parameters that are not here: Class.method -> name -> why.
REFUSED_PARAMETERS = {
    "StreamExecutionEnvironment.create_input": {"type_info": "an input format says what it reads"},
}

CLASSES = [(module, name) for module in API for name in API[module]["classes"]]
FUNCTIONS = [(module, name) for module in API for name in API[module]["functions"]]


@pytest.fixture(autouse=True)
def aliases():
    was = compat.installed()
    assert compat.install()
    yield
    if not was:
        compat.uninstall()


def found(module: str, name: str) -> Any:
    """What PyFlink's name stands for, through the aliases."""
    outer, _, inner = name.partition(".")
    cls = getattr(importlib.import_module(module), outer, None)
    return getattr(cls, inner, None) if inner else cls


def parameters_of(text: str) -> list[str]:
    """The names of the parameters in a signature, but for those that gather the rest."""
    arguments = ast.parse(f"def f({text}): ...").body[0].args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


@pytest.mark.parametrize(("module", "name"), CLASSES, ids=[name for _, name in CLASSES])
def test_classes_and_methods_are_there_or_refused(module, name):
    cls = found(module, name)
    if name in REFUSED:
        assert cls is None, f"{name} is here: take it out of REFUSED"
        return
    assert cls is not None, f"{module}.{name} is missing"
    methods = API[module]["classes"][name]
    missing = {method for method in methods if not hasattr(cls, method)}
    assert missing == {m for m in methods if f"{name}.{m}" in REFUSED}, "missing, but not in REFUSED"
    for method in methods.keys() - missing:
        full = f"{name}.{method}"
        if any(parameter.startswith("j_") for parameter in parameters_of(methods[method])):
            continue  # only PyFlink itself calls it, with an object of Java
        expected = [p for p in parameters_of(methods[method]) if p not in REFUSED_PARAMETERS.get(full, {})]
        own = [p.name for p in inspect.signature(getattr(cls, method)).parameters.values() if p.name != "self"]
        if method == "__init__" and not expected:
            continue  # object's own takes anything
        assert own[: len(expected)] == expected, f"{full} has other parameters"
        if full in REFUSED_PARAMETERS:
            assert not set(REFUSED_PARAMETERS[full]) & set(own), f"{full} has it: take it out of REFUSED_PARAMETERS"


@pytest.mark.parametrize(("module", "name"), FUNCTIONS, ids=[name for _, name in FUNCTIONS])
def test_functions_are_there_or_refused(module, name):
    assert (found(module, name) is None) == (name in REFUSED)


@pytest.mark.parametrize("module", ["pyflink.metrics", "pyflink.metrics.metricbase"])
def test_metrics_are_there(module):
    assert [name for name in METRICS if found(module, name) is None] == []


def test_what_is_refused_exists_in_pyflink():
    known = {name for _, name in CLASSES + FUNCTIONS}
    known |= {f"{name}.{method}" for module, name in CLASSES for method in API[module]["classes"][name]}
    assert set(REFUSED) | set(REFUSED_PARAMETERS) <= known
