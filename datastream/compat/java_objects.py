"""Names of PyFlink that make objects of Java or take them: refused, each with what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn

from datastream.errors import UnsupportedOperation


class AssignerWithPeriodicWatermarksWrapper:
    """A watermark assigner written in Java."""

    def __init__(self, j_assigner_with_periodic_watermarks: Any) -> None:
        raise UnsupportedOperation(
            "AssignerWithPeriodicWatermarksWrapper: Java classes cannot be used here; write a WatermarkGenerator and "
            "give it to WatermarkStrategy.for_generator"
        )


def create_hadoop_configuration(config: Any) -> NoReturn:
    """Make an object of Java."""
    raise UnsupportedOperation("create_hadoop_configuration: pass the Configuration itself as hadoop_config")


def create_java_properties(config: Any) -> NoReturn:
    """Make an object of Java."""
    raise UnsupportedOperation("create_java_properties: pass the Configuration itself, or a dict")


def convert_to_python_obj(data: Any, type_info: Any) -> NoReturn:
    """Convert an object of Java."""
    raise UnsupportedOperation("convert_to_python_obj: values are objects of Python already; use them as they are")


def pickled_bytes_to_python_obj(data: Any, type_info: Any) -> NoReturn:
    """Convert what Java's side of PyFlink pickled."""
    raise UnsupportedOperation(
        "pickled_bytes_to_python_obj: values are objects of Python already; use them as they are"
    )
