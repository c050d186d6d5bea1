"""Names that PyFlink's modules define and that are not here, with what to use instead.

What PyFlink lists as public is in `datastream.compat.names`; these are classes and functions beside that, which
programs and editors import nevertheless.
"""

from __future__ import annotations

_OWN = "it is a part of how PyFlink hands functions to Java: use the class that you write, such as {}"
_BUILT = "it is what {} returns: call that"

#: Module -> name -> what to use instead.
NOT_HERE: dict[str, dict[str, str]] = {
    "pyflink.common.serialization": {
        "RowDataBulkWriterFactory": _BUILT.format("CsvBulkWriters, ParquetBulkWriters and AvroBulkWriters"),
    },
    "pyflink.common.typeinfo": {
        "InstantTypeInfo": _BUILT.format("Types.INSTANT()"),
        "SqlTimeTypeInfo": _BUILT.format("Types.SQL_DATE(), Types.SQL_TIME() and Types.SQL_TIMESTAMP()"),
        "ExternalTypeInfo": "it wraps a type for Java: use the type itself",
    },
    "pyflink.datastream.connectors.base": {
        "StreamTransformer": _OWN.format("Sink"),
        "SupportsPreprocessing": _OWN.format("Sink"),
    },
    "pyflink.datastream.connectors.elasticsearch": {
        "ElasticsearchSinkBuilderBase": "it is a base class: use Elasticsearch7SinkBuilder",
    },
    "pyflink.datastream.connectors.kafka": {
        "FlinkKafkaConsumerBase": "it is a base class: use FlinkKafkaConsumer, or KafkaSource",
        "FlinkKafkaProducerBase": "it is a base class: use FlinkKafkaProducer, or KafkaSink",
    },
    "pyflink.datastream.data_stream": {
        "CachedDataStream": "streams are not cached: write the stream to files, and read those",
    },
    "pyflink.datastream.functions": dict.fromkeys(
        (
            "FunctionWrapper",
            "JavaFunctionWrapper",
            "ReduceFunctionWrapper",
        ),
        _OWN.format("MapFunction or ReduceFunction"),
    )
    | dict.fromkeys(
        (
            "InternalIterableAllWindowFunction",
            "InternalIterableProcessAllWindowFunction",
            "InternalIterableProcessWindowFunction",
            "InternalIterableWindowFunction",
            "InternalProcessAllWindowContext",
            "InternalProcessWindowContext",
            "InternalSingleValueAllWindowFunction",
            "InternalSingleValueProcessAllWindowFunction",
            "InternalSingleValueProcessWindowFunction",
            "InternalSingleValueWindowFunction",
            "InternalWindowFunction",
            "PassThroughAllWindowFunction",
            "PassThroughWindowFunction",
        ),
        _OWN.format("ProcessWindowFunction or WindowFunction"),
    ),
    "pyflink.datastream.utils": {"ResultTypeQueryable": "give the type as output_type or type_info"},
    "pyflink.datastream.window": {
        "Min": "it is a reduce function: use lambda a, b: min(a, b)",
        "WindowOperationDescriptor": _OWN.format("WindowAssigner"),
    },
    "pyflink.table.descriptors": {"Descriptor": "it is a base class: use Schema, Rowtime or FileSystem"},
    "pyflink.table.types": {"RawType": "values of Java's classes have no form here: use BYTES, or a ROW"},
    "pyflink.table.udf": {
        "DelegatingAsyncScalarFunction": _BUILT.format("udf of a coroutine function"),
        "DelegationTableFunction": _BUILT.format("udtf"),
        "PandasAggregateFunctionWrapper": _BUILT.format("udaf with func_type='pandas'"),
    },
    "pyflink.table.window": {
        "OverWindowPartitionedOrdered": _BUILT.format("Over.partition_by(...).order_by(...)"),
        "OverWindowPartitionedOrderedPreceding": _BUILT.format("Over.partition_by(...).order_by(...).preceding(...)"),
        "SessionWithGap": _BUILT.format("Session.with_gap(...)"),
        "SessionWithGapOnTime": _BUILT.format("Session.with_gap(...).on(...)"),
        "SlideWithSizeAndSlide": _BUILT.format("Slide.over(...).every(...)"),
        "SlideWithSizeAndSlideOnTime": _BUILT.format("Slide.over(...).every(...).on(...)"),
        "TumbleWithSize": _BUILT.format("Tumble.over(...)"),
        "TumbleWithSizeOnTime": _BUILT.format("Tumble.over(...).on(...)"),
    },
    "pyflink.util.exceptions": dict.fromkeys(
        (
            "capture_java_exception",
            "convert_py4j_exception",
            "install_exception_handler",
            "install_py4j_hooks",
        ),
        "there is no Java whose exceptions are converted: catch those of datastream.errors",
    ),
}
