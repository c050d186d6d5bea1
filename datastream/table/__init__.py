"""The Table API and SQL, by PyFlink's names. What is not a data type is imported at its first use."""

from __future__ import annotations

import importlib
from typing import Any

from datastream.table.types.data_types import DataTypes
from datastream.table.types.intervals import DayTimeIntervalType, Resolution, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    ListViewType,
    LocalZonedTimestampType,
    MapType,
    MapViewType,
    MultisetType,
    NullType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowField, RowType

_HOMES = {
    "datastream.table.catalog": (
        "Catalog CatalogBaseTable CatalogColumnStatistics CatalogDatabase CatalogDescriptor "
        "CatalogFunction CatalogPartition CatalogPartitionSpec CatalogTableStatistics Column "
        "GenericInMemoryCatalog"
    ),
    "datastream.table.catalogs.names": "ObjectIdentifier ObjectPath",
    "datastream.table.api.changelog_mode": "ChangelogMode",
    "datastream.table.api.compiled_plan": "CompiledPlan",
    "datastream.table.functions.data_view": "DataView ListView MapView",
    "datastream.table.config.environment_settings": "EnvironmentSettings",
    "datastream.table.execution.explain_detail": "ExplainDetail",
    "datastream.table.dsl.expression": "Expression",
    "datastream.table.dsl.expressions": "call col lit",
    "datastream.table.api.model_descriptor": "ModelDescriptor",
    "datastream.table.catalogs.modules": "Module ModuleEntry",
    "datastream.table.execution.plan_reference": "PlanReference",
    "datastream.table.catalogs.resolved_schema": "ResolvedSchema",
    "datastream.table.results.result_kind": "ResultKind",
    "datastream.table.catalogs.schema": "Schema",
    "datastream.table.config.sql_dialect": "SqlDialect",
    "datastream.table.api.statement_set": "StatementSet",
    "datastream.table.api.stream_table_environment": "StreamTableEnvironment",
    "datastream.table.api.table": "GroupWindowedTable GroupedTable OverWindowedTable Table WindowGroupedTable",
    "datastream.table.config.table_config": "TableConfig",
    "datastream.table.api.table_descriptor": "FormatDescriptor TableDescriptor",
    "datastream.table.api.table_environment": "TableEnvironment",
    "datastream.table.api.table_pipeline": "TablePipeline",
    "datastream.table.results.table_result": "TableResult",
    "datastream.table.catalogs.table_schema": "TableSchema",
    "datastream.table.dsl.udf": (
        "AggregateFunction AsyncScalarFunction FunctionContext ScalarFunction TableAggregateFunction TableFunction"
    ),
    "datastream.table.types.user_defined_type": "UserDefinedType",
    "datastream.table.api.window": "GroupWindow Over OverWindow Session Slide Tumble",
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AggregateFunction",
    "ArrayType",
    "AsyncScalarFunction",
    "BigIntType",
    "BinaryType",
    "BooleanType",
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogPartition",
    "CatalogPartitionSpec",
    "CatalogTableStatistics",
    "ChangelogMode",
    "CharType",
    "Column",
    "CompiledPlan",
    "DataType",
    "DataTypes",
    "DataView",
    "DateType",
    "DayTimeIntervalType",
    "DecimalType",
    "DoubleType",
    "EnvironmentSettings",
    "ExplainDetail",
    "Expression",
    "FloatType",
    "FormatDescriptor",
    "FunctionContext",
    "GenericInMemoryCatalog",
    "GroupWindow",
    "GroupWindowedTable",
    "GroupedTable",
    "IntType",
    "ListView",
    "ListViewType",
    "LocalZonedTimestampType",
    "MapType",
    "MapView",
    "MapViewType",
    "ModelDescriptor",
    "Module",
    "ModuleEntry",
    "MultisetType",
    "NullType",
    "ObjectIdentifier",
    "ObjectPath",
    "Over",
    "OverWindow",
    "OverWindowedTable",
    "PlanReference",
    "Resolution",
    "ResolvedSchema",
    "ResultKind",
    "RowField",
    "RowType",
    "ScalarFunction",
    "Schema",
    "Session",
    "Slide",
    "SmallIntType",
    "SqlDialect",
    "StatementSet",
    "StreamTableEnvironment",
    "Table",
    "TableAggregateFunction",
    "TableConfig",
    "TableDescriptor",
    "TableEnvironment",
    "TableFunction",
    "TablePipeline",
    "TableResult",
    "TableSchema",
    "TimeType",
    "TimestampType",
    "TinyIntType",
    "Tumble",
    "UserDefinedType",
    "VarBinaryType",
    "VarCharType",
    "WindowGroupedTable",
    "YearMonthIntervalType",
    "call",
    "col",
    "lit",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'datastream.table' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value
