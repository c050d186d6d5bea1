"""Where the names of PyFlink's modules live here."""

from __future__ import annotations

HOMES = {
    "pyflink.common.constants": "datastream.compat.constants",
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
    "pyflink.datastream": "datastream.api.legacy",
    "pyflink.datastream.time_characteristic": "datastream.api.legacy",
    "pyflink.datastream.connectors": "datastream.connectors.kafka",
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
    "pyflink.dataset": "datastream.api.legacy",
    "pyflink.dataset.execution_environment": "datastream.api.legacy",
    "pyflink.table": "datastream.table.legacy",
    "pyflink.table.sinks": "datastream.table.legacy",
    "pyflink.table.sources": "datastream.table.legacy",
    "pyflink.table.catalog": "datastream.table.catalog",
    "pyflink.table.changelog_mode": "datastream.table.api.changelog_mode",
    "pyflink.table.compiled_plan": "datastream.table.api.compiled_plan",
    "pyflink.table.data_view": "datastream.table.functions.data_view",
    "pyflink.table.descriptors": "datastream.table.api.legacy.descriptors",
    "pyflink.table.environment_settings": "datastream.table.config.environment_settings",
    "pyflink.table.explain_detail": "datastream.table.execution.explain_detail",
    "pyflink.table.expression": "datastream.table.dsl.expression",
    "pyflink.table.expressions": "datastream.table.dsl.expressions",
    "pyflink.table.model_descriptor": "datastream.table.api.model_descriptor",
    "pyflink.table.module": "datastream.table.catalogs.modules",
    "pyflink.table.plan_reference": "datastream.table.execution.plan_reference",
    "pyflink.table.resolved_expression": "datastream.table.dsl.resolved_expression",
    "pyflink.table.result_kind": "datastream.table.results.result_kind",
    "pyflink.table.schema": "datastream.table.catalogs.schema",
    "pyflink.table.sql_dialect": "datastream.table.config.sql_dialect",
    "pyflink.table.statement_set": "datastream.table.api.statement_set",
    "pyflink.table.table": "datastream.table.api.table",
    "pyflink.table.table_config": "datastream.table.config.table_config",
    "pyflink.table.table_descriptor": "datastream.table.api.table_descriptor",
    "pyflink.table.table_environment": "datastream.table.api.stream_table_environment",
    "pyflink.table.table_pipeline": "datastream.table.api.table_pipeline",
    "pyflink.table.table_result": "datastream.table.results.table_result",
    "pyflink.table.table_schema": "datastream.table.catalogs.table_schema",
    "pyflink.table.types": "datastream.table",
    "pyflink.table.udf": "datastream.table.dsl.udf",
    "pyflink.table.window": "datastream.table.api.window",
    "pyflink.util.exceptions": "datastream.table.catalogs.errors",
}

#: Modules that PyFlink had before version 2, and what a star brings of them.
OLD_MODULES: dict[str, tuple[str, ...]] = {
    "pyflink.dataset": ("ExecutionEnvironment",),
    "pyflink.dataset.execution_environment": ("ExecutionEnvironment",),
    "pyflink.datastream.time_characteristic": ("TimeCharacteristic",),
    "pyflink.table.sinks": ("CsvTableSink", "WriteMode"),
    "pyflink.table.sources": ("CsvTableSource",),
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
    if module == "pyflink.table.types":
        homes.append("datastream.table.types.logical_types")
    if module == "pyflink.common.serializer":
        homes.append("datastream.types.serializers")
    homes += ["datastream", "datastream.compat.java_objects"]
    if module.startswith("pyflink.datastream.connectors."):
        homes.append("datastream.connectors." + module.rpartition(".")[2])
    return homes
