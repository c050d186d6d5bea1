"""The class of expressions; PyFlink's name for `datastream.table.dsl.expression`."""

from datastream.table.dsl.expression import *  # noqa: F403
from datastream.table.dsl.expression import __all__ as __all__
