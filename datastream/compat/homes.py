"""Where the names of PyFlink's modules live here."""

from __future__ import annotations

HOMES = {
    "pyflink.common.completable_future": "datastream.job",
    "pyflink.common.config_options": "datastream.config",
    "pyflink.common.configuration": "datastream.config",
    "pyflink.common.execution_config": "datastream.config",
    "pyflink.common.input_dependency_constraint": "datastream.config",
    "pyflink.common.io": "datastream.connectors",
    "pyflink.common.job_execution_result": "datastream.job",
    "pyflink.common.job_id": "datastream.job",
    "pyflink.common.job_status": "datastream.job",
    "pyflink.common.restart_strategy": "datastream.config",
    "pyflink.common.serialization": "datastream.formats",
    "pyflink.common.serializer": "datastream.types",
    "pyflink.common.time": "datastream.time",
    "pyflink.common.typeinfo": "datastream.types",
    "pyflink.common.types": "datastream.types",
    "pyflink.common.watermark_strategy": "datastream.time",
    "pyflink.common.job_client": "datastream.api",
    "pyflink.datastream.connectors.base": "datastream.connectors",
    "pyflink.datastream.connectors.file_system": "datastream.connectors.files",
    "pyflink.datastream.connectors.number_seq": "datastream.connectors",
    "pyflink.datastream.async_retry_predicates": "datastream.functions",
    "pyflink.datastream.async_retry_strategies": "datastream.functions",
    "pyflink.datastream.checkpoint_config": "datastream.config",
    "pyflink.datastream.checkpoint_storage": "datastream.config",
    "pyflink.datastream.checkpointing_mode": "datastream.config",
    "pyflink.datastream.execution_mode": "datastream.config",
    "pyflink.datastream.externalized_checkpoint_retention": "datastream.config",
    "pyflink.datastream.functions": "datastream.functions",
    "pyflink.datastream.output_tag": "datastream.functions",
    "pyflink.datastream.slot_sharing_group": "datastream.config",
    "pyflink.datastream.state": "datastream.state",
    "pyflink.datastream.state_backend": "datastream.config",
    "pyflink.datastream.time_domain": "datastream.time",
    "pyflink.datastream.timerservice": "datastream.time",
    "pyflink.datastream.utils": "datastream.compat.java_objects",
    "pyflink.datastream.window": "datastream.windows",
    "pyflink.metrics.metricbase": "datastream.metrics",
    "pyflink.table.types": "datastream.table",
}


def homes_of(module: str) -> list[str]:
    """Return the modules to search for a name of a PyFlink module, the likeliest first.

    A module without a place of its own is searched at the top of `datastream`, and a connector's
    or format's in the package of its name.
    """
    homes = [HOMES[module]] if module in HOMES else []
    if module.startswith("pyflink.datastream.formats."):
        homes += [
            "datastream.formats." + module.rpartition(".")[2],
            "datastream.connectors.files",
            "datastream.formats",
        ]
    homes += ["datastream", "datastream.compat.java_objects"]
    if module.startswith("pyflink.datastream.connectors."):
        homes.append("datastream.connectors." + module.rpartition(".")[2])
    return homes
