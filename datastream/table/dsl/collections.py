"""Methods of `Expression` on arrays, maps, rows and bitmaps."""

from __future__ import annotations

from typing import Any, Self

from datastream.table.dsl.base import BaseExpression


class CollectionMethods(BaseExpression):
    """Arrays, maps, rows and bitmaps."""

    __slots__ = ()

    def get(self, name_or_index: str | int) -> Self:
        """A field of a row, by name, or by index from 0."""
        return self._call("get", name_or_index)

    def at(self, index: Any) -> Self:
        """An element of an array, counted from 1, or the value of a key of a map; NULL: there is none."""
        return self._call("at", index)

    @property
    def flatten(self) -> Self:
        """The fields of a row as columns."""
        return self._call("flatten")

    @property
    def cardinality(self) -> Self:
        """How many elements there are."""
        return self._call("cardinality")

    @property
    def element(self) -> Self:
        """The one element; NULL: there is none."""
        return self._call("element")

    def array_append(self, addition: Any) -> Self:
        """With an element more at the end."""
        return self._call("ARRAY_APPEND", addition)

    def array_contains(self, needle: Any) -> Self:
        """Whether an element is equal to a value."""
        return self._call("ARRAY_CONTAINS", needle)

    def array_distinct(self) -> Self:
        """Each element once."""
        return self._call("ARRAY_DISTINCT")

    def array_position(self, needle: Any) -> Self:
        """Where an element first is, from 1; 0: nowhere."""
        return self._call("ARRAY_POSITION", needle)

    def array_prepend(self, addition: Any) -> Self:
        """With an element more in front."""
        return self._call("ARRAY_PREPEND", addition)

    def array_remove(self, needle: Any) -> Self:
        """Without elements that are equal to a value."""
        return self._call("ARRAY_REMOVE", needle)

    def array_reverse(self) -> Self:
        """From the end to the start."""
        return self._call("ARRAY_REVERSE")

    def array_slice(self, start_offset: Any, end_offset: Any = None) -> Self:
        """The elements from a place to another, both counted from 1; below 0 from the end."""
        return (
            self._call("ARRAY_SLICE", start_offset)
            if end_offset is None
            else self._call("ARRAY_SLICE", start_offset, end_offset)
        )

    def array_sort(self, ascending_order: Any = None, null_first: Any = None) -> Self:
        """In order. Default: ascending, with NULL first."""
        given = [each for each in (ascending_order, null_first) if each is not None]
        return self._call("ARRAY_SORT", *given)

    def array_union(self, array: Any) -> Self:
        """The elements of both, each once."""
        return self._call("ARRAY_UNION", array)

    def array_concat(self, *arrays: Any) -> Self:
        """The elements of all, one after the other."""
        return self._call("ARRAY_CONCAT", *arrays)

    def array_max(self) -> Self:
        """The largest element."""
        return self._call("ARRAY_MAX")

    def array_join(self, delimiter: Any, null_replacement: Any = None) -> Self:
        """The elements as one text. Default: without those that are NULL."""
        return (
            self._call("ARRAY_JOIN", delimiter)
            if null_replacement is None
            else self._call("ARRAY_JOIN", delimiter, null_replacement)
        )

    def array_min(self) -> Self:
        """The smallest element."""
        return self._call("ARRAY_MIN")

    def array_except(self, array: Any) -> Self:
        """The elements that another array has not."""
        return self._call("ARRAY_EXCEPT", array)

    def array_intersect(self, array: Any) -> Self:
        """The elements that another array has too."""
        return self._call("ARRAY_INTERSECT", array)

    def map_union(self, *maps: Any) -> Self:
        """The entries of all; the last one of a key counts."""
        return self._call("MAP_UNION", *maps)

    @property
    def map_keys(self) -> Self:
        """The keys, as an array."""
        return self._call("MAP_KEYS")

    @property
    def map_values(self) -> Self:
        """The values, as an array."""
        return self._call("MAP_VALUES")

    @property
    def map_entries(self) -> Self:
        """The entries, as an array of rows."""
        return self._call("MAP_ENTRIES")

    def object_update(self, *kv: Any) -> Self:
        """A structured object with other values of some fields."""
        return self._call("OBJECT_UPDATE", *kv)

    def bitmap_and(self, bitmap2: Any) -> Self:
        """What is in both bitmaps."""
        return self._call("BITMAP_AND", bitmap2)

    def bitmap_andnot(self, bitmap2: Any) -> Self:
        """What is in this bitmap and not in another."""
        return self._call("BITMAP_ANDNOT", bitmap2)

    def bitmap_or(self, bitmap2: Any) -> Self:
        """What is in one of two bitmaps."""
        return self._call("BITMAP_OR", bitmap2)

    def bitmap_xor(self, bitmap2: Any) -> Self:
        """What is in exactly one of two bitmaps."""
        return self._call("BITMAP_XOR", bitmap2)

    def bitmap_build(self) -> Self:
        """A bitmap of an array of numbers."""
        return self._call("BITMAP_BUILD")

    def bitmap_cardinality(self) -> Self:
        """How many numbers a bitmap has."""
        return self._call("BITMAP_CARDINALITY")

    def bitmap_from_bytes(self) -> Self:
        """A bitmap of its bytes."""
        return self._call("BITMAP_FROM_BYTES")

    def bitmap_to_array(self) -> Self:
        """The numbers of a bitmap."""
        return self._call("BITMAP_TO_ARRAY")

    def bitmap_to_bytes(self) -> Self:
        """The bytes of a bitmap."""
        return self._call("BITMAP_TO_BYTES")

    def bitmap_to_string(self) -> Self:
        """A bitmap as a text."""
        return self._call("BITMAP_TO_STRING")
