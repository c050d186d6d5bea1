"""User-defined functions; PyFlink's name for `datastream.table.dsl.udf`."""

from datastream.table.dsl.udf import *  # noqa: F403
from datastream.table.dsl.udf import __all__ as __all__
