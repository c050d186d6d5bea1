"""When values of a state expire, as Flink's `TtlStateFactory` has it."""

from __future__ import annotations

from datastream.state import StateDescriptor, StateTtlConfig


class Lifetime:
    """A `StateTtlConfig` in the form that handles use.

    A value is stored with the time in ms at which it was last touched, and has expired when `ttl` ms have passed.

    Attributes:
        ttl: The time to live in ms.
        on_read: Reading touches too.
        give_expired: An expired value is given once more when it is found, and gone then.
    """

    def __init__(self, config: StateTtlConfig) -> None:
        self.ttl = config.get_ttl().to_milliseconds()
        self.on_read = config.get_update_type() is StateTtlConfig.UpdateType.OnReadAndWrite
        visible = StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp
        self.give_expired = config.get_state_visibility() is visible

    @classmethod
    def of(cls, descriptor: StateDescriptor) -> Lifetime | None:
        """The lifetime of a state's values; None when they stay."""
        config = descriptor.get_ttl_config()
        return None if config is None else cls(config)


def slot_of(descriptor: StateDescriptor) -> str:
    """Where a content keeps a state: values that expire are stored with a time, so they have a slot of their own."""
    name = descriptor.get_name()
    return name if descriptor.get_ttl_config() is None else name + "\0ttl"
