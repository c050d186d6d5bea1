"""Descriptors of older programs; PyFlink's name for `datastream.table.api.legacy.descriptors`."""

from datastream.table.api.legacy.descriptors import *  # noqa: F403
from datastream.table.api.legacy.descriptors import __all__ as __all__
