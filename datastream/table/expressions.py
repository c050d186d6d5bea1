"""Functions that give expressions; PyFlink's name for `datastream.table.dsl.expressions`."""

from datastream.table.dsl.expressions import *  # noqa: F403
from datastream.table.dsl.expressions import __all__ as __all__
