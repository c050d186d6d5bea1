"""Sizes of memory and groups of operators that share a slot."""

from __future__ import annotations

from dataclasses import dataclass, field

from datastream.errors import ValidationError, cut

_UNITS = (("tb", 1 << 40), ("gb", 1 << 30), ("mb", 1 << 20), ("kb", 1 << 10))


@dataclass(frozen=True, order=True)
class MemorySize:
    """A number of bytes, zero or more; printed in the largest unit that divides it."""

    bytes_size: int

    def __post_init__(self) -> None:
        if not isinstance(self.bytes_size, int) or self.bytes_size < 0:
            raise ValidationError(f"A memory size is a number of bytes, 0 or more: got {cut(self.bytes_size)}.")

    @staticmethod
    def of_mebi_bytes(mebi_bytes: int) -> MemorySize:
        """Return a size of this number of times 1,048,576 bytes."""
        return MemorySize(mebi_bytes << 20)

    def get_bytes(self) -> int:
        """Return the size in bytes."""
        return self.bytes_size

    def get_kibi_bytes(self) -> int:
        """Return the size in KiB, rounded down."""
        return self.bytes_size >> 10

    def get_mebi_bytes(self) -> int:
        """Return the size in MiB, rounded down."""
        return self.bytes_size >> 20

    def get_gibi_bytes(self) -> int:
        """Return the size in GiB, rounded down."""
        return self.bytes_size >> 30

    def get_tebi_bytes(self) -> int:
        """Return the size in TiB, rounded down."""
        return self.bytes_size >> 40

    def __str__(self) -> str:
        for unit, size in _UNITS:
            if self.bytes_size and self.bytes_size % size == 0:
                return f"{self.bytes_size // size} {unit}"
        return f"{self.bytes_size} bytes"


@dataclass(frozen=True)
class SlotSharingGroup:
    """A name for operators that share a slot, with the resources asked for; made by `builder`.

    Kept, without effect: Spark places tasks by its own resource settings.
    """

    name: str
    cpu_cores: float | None = None
    task_heap_memory: MemorySize | None = None
    task_off_heap_memory: MemorySize | None = None
    managed_memory: MemorySize | None = None
    external_resources: dict[str, float] = field(default_factory=dict, hash=False)

    def get_name(self) -> str:
        """Return the name."""
        return self.name

    def get_cpu_cores(self) -> float | None:
        """Return the CPU cores, or None when no resources are set."""
        return self.cpu_cores

    def get_task_heap_memory(self) -> MemorySize | None:
        """Return the heap memory, or None when no resources are set."""
        return self.task_heap_memory

    def get_task_off_heap_memory(self) -> MemorySize | None:
        """Return the memory off the heap, or None when no resources are set."""
        return self.task_off_heap_memory

    def get_managed_memory(self) -> MemorySize | None:
        """Return the managed memory, or None when no resources are set."""
        return self.managed_memory

    def get_external_resources(self) -> dict[str, float]:
        """Return the amounts of other resources by name."""
        return dict(self.external_resources)

    @staticmethod
    def builder(name: str) -> Builder:
        """Return a builder for a group of this name."""
        return SlotSharingGroup.Builder(name)

    class Builder:
        """Collects the resources of a group."""

        def __init__(self, name: str) -> None:
            self._name = name
            self._cpu_cores: float | None = None
            self._heap: MemorySize | None = None
            self._off_heap: MemorySize | None = None
            self._managed: MemorySize | None = None
            self._external: dict[str, float] = {}

        def set_cpu_cores(self, cpu_cores: float) -> SlotSharingGroup.Builder:
            """Set the CPU cores, above zero."""
            if cpu_cores <= 0:
                raise ValidationError(f"The cpu cores must be above zero: got {cut(cpu_cores)}.")
            self._cpu_cores = cpu_cores
            return self

        def set_task_heap_memory(self, task_heap_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Set the heap memory, above zero."""
            if not task_heap_memory.bytes_size:
                raise ValidationError("The task heap memory must be above zero.")
            self._heap = task_heap_memory
            return self

        def set_task_heap_memory_mb(self, task_heap_memory_mb: int) -> SlotSharingGroup.Builder:
            """Set the heap memory in MiB, above zero."""
            return self.set_task_heap_memory(MemorySize.of_mebi_bytes(task_heap_memory_mb))

        def set_task_off_heap_memory(self, task_off_heap_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Set the memory off the heap."""
            self._off_heap = task_off_heap_memory
            return self

        def set_task_off_heap_memory_mb(self, task_off_heap_memory_mb: int) -> SlotSharingGroup.Builder:
            """Set the memory off the heap in MiB."""
            return self.set_task_off_heap_memory(MemorySize.of_mebi_bytes(task_off_heap_memory_mb))

        def set_managed_memory(self, managed_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Set the managed memory."""
            self._managed = managed_memory
            return self

        def set_managed_memory_mb(self, managed_memory_mb: int) -> SlotSharingGroup.Builder:
            """Set the managed memory in MiB."""
            return self.set_managed_memory(MemorySize.of_mebi_bytes(managed_memory_mb))

        def set_external_resource(self, name: str, value: float) -> SlotSharingGroup.Builder:
            """Set the amount of another resource."""
            self._external[name] = value
            return self

        def build(self) -> SlotSharingGroup:
            """Return the group.

            Raises:
                ValidationError: Resources are set, but not both CPU cores and heap memory.
            """
            given = (self._cpu_cores, self._heap, self._off_heap, self._managed)
            if all(resource is None for resource in given) and not self._external:
                return SlotSharingGroup(self._name)
            if self._cpu_cores is None or self._heap is None:
                raise ValidationError(
                    f"SlotSharingGroup {self._name!r}: cpu cores and task heap memory are both required "
                    "when any resource is set."
                )
            zero = MemorySize(0)
            return SlotSharingGroup(
                self._name,
                self._cpu_cores,
                self._heap,
                self._off_heap or zero,
                self._managed or zero,
                dict(self._external),
            )
