"""The function library of the Table API: functions and operators as data."""

from datastream.table.functions.library import entries, find, nearest

__all__ = ["entries", "find", "nearest"]
