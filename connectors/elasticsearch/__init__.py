"""Elasticsearch: documents written in bulk, by the names of Flink's connector, and an index read at a point in time.
With `OpenSearchConnection` the sink writes to OpenSearch.

Needs the package `elasticsearch` of version 8: ``pip install '.[elasticsearch]'``. No jar, no Java.
"""

from .actions import Action, Create, Delete, Index, Update
from .builder import Elasticsearch6SinkBuilder, Elasticsearch7SinkBuilder, ElasticsearchSinkBuilder
from .connection import ElasticsearchConnection
from .emitter import ElasticsearchEmitter
from .failures import FailedAction, FailureHandler, FailureKind, Resolution, dead_letter, fail, ignore
from .flush_backoff import FlushBackoffType
from .opensearch import OpenSearchConnection
from .sink import ElasticsearchSink
from .source import ElasticsearchSource

__all__ = [
    "Action",
    "Create",
    "Delete",
    "Elasticsearch6SinkBuilder",
    "Elasticsearch7SinkBuilder",
    "ElasticsearchConnection",
    "ElasticsearchEmitter",
    "ElasticsearchSink",
    "ElasticsearchSinkBuilder",
    "ElasticsearchSource",
    "FailedAction",
    "FailureHandler",
    "FailureKind",
    "FlushBackoffType",
    "Index",
    "OpenSearchConnection",
    "Resolution",
    "Update",
    "dead_letter",
    "fail",
    "ignore",
]
