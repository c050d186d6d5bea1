"""Descriptors of states and how long their values live: PyFlink's names and defaults."""

from __future__ import annotations

import pickle

import pytest

from datastream import state
from datastream.errors import ValidationError
from datastream.functions import AggregateFunction, ReduceFunction
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time
from datastream.types import ListTypeInfo, MapTypeInfo, Types


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Longest(ReduceFunction):
    def reduce(self, value1, value2):
        return max(value1, value2, key=len)


def test_pyflink_names():
    pyflink = {
        "AggregatingState",
        "AggregatingStateDescriptor",
        "BroadcastState",
        "ListState",
        "ListStateDescriptor",
        "MapState",
        "MapStateDescriptor",
        "OperatorStateStore",
        "ReadOnlyBroadcastState",
        "ReducingState",
        "ReducingStateDescriptor",
        "StateTtlConfig",
        "ValueState",
        "ValueStateDescriptor",
    }
    assert pyflink <= set(state.__all__)
    for name in ("UpdateType", "StateVisibility", "TtlTimeCharacteristic", "Builder", "CleanupStrategies"):
        assert hasattr(StateTtlConfig, name)


def test_descriptors_know_their_name_and_type():
    assert ValueStateDescriptor("v", Types.INT()).type_info == Types.INT()
    assert ListStateDescriptor("l", Types.INT()).type_info == ListTypeInfo(Types.INT())
    made = MapStateDescriptor("m", Types.STRING(), Types.INT())
    assert made.type_info == MapTypeInfo(Types.STRING(), Types.INT())
    assert made.get_name() == "m"


def test_descriptors_of_aggregates():
    assert ReducingStateDescriptor("r", lambda a, b: a + b, Types.INT()).get_reduce_function().reduce(1, 2) == 3
    function = Longest()
    assert ReducingStateDescriptor("r", function, Types.STRING()).get_reduce_function() is function
    count = Count()
    assert AggregatingStateDescriptor("a", count, Types.INT()).get_agg_function() is count


@pytest.mark.parametrize("name", ["", None, 5])
def test_a_state_needs_a_name(name):
    with pytest.raises(ValidationError, match="name of a state"):
        ValueStateDescriptor(name, Types.INT())


def test_wrong_functions_and_configurations():
    with pytest.raises(TypeError, match="reduce_function of state 'r' must be a ReduceFunction or a callable"):
        ReducingStateDescriptor("r", 5, Types.INT())
    with pytest.raises(TypeError, match="agg_function of state 'a' must be an AggregateFunction"):
        AggregatingStateDescriptor("a", len, Types.INT())
    with pytest.raises(ValidationError, match="needs a StateTtlConfig"):
        ValueStateDescriptor("v", Types.INT()).enable_time_to_live(Time.hours(1))
    with pytest.raises(ValidationError, match="ttl must be a Time above zero"):
        StateTtlConfig.new_builder(Time.hours(0)).build()


def test_defaults_of_time_to_live():
    config = StateTtlConfig.new_builder(Time.hours(1)).build()
    assert config.get_ttl() == Time.hours(1)
    assert config.is_enabled()
    assert config.get_update_type() is StateTtlConfig.UpdateType.OnCreateAndWrite
    assert config.get_state_visibility() is StateTtlConfig.StateVisibility.NeverReturnExpired
    assert config.get_ttl_time_characteristic() is StateTtlConfig.TtlTimeCharacteristic.ProcessingTime
    cleanup = config.get_cleanup_strategies()
    assert cleanup.is_cleanup_in_background()
    assert not cleanup.in_full_snapshot()
    incremental = cleanup.get_incremental_cleanup_strategy()
    assert (incremental.get_cleanup_size(), incremental.run_cleanup_for_every_record()) == (5, False)
    compaction = cleanup.get_rocksdb_compact_filter_cleanup_strategy()
    assert compaction.get_query_time_after_num_entries() == 1000
    assert compaction.get_periodic_compaction_time() == Time.days(30)


def test_the_builder_sets_everything():
    builder = StateTtlConfig.new_builder(Time.hours(1))
    builder.set_ttl(Time.minutes(5)).update_ttl_on_create_and_write().never_return_expired().use_processing_time()
    builder.update_ttl_on_read_and_write().return_expired_if_not_cleaned_up()
    builder.cleanup_full_snapshot().cleanup_incrementally(10, True).disable_cleanup_in_background()
    config = builder.cleanup_in_rocksdb_compact_filter(20, Time.days(2)).build()
    assert config.get_ttl() == Time.minutes(5)
    assert config.get_update_type() is StateTtlConfig.UpdateType.OnReadAndWrite
    assert config.get_state_visibility() is StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp
    cleanup = config.get_cleanup_strategies()
    assert cleanup.in_full_snapshot()
    assert not cleanup.is_cleanup_in_background()
    assert cleanup.get_incremental_cleanup_strategy().run_cleanup_for_every_record()
    assert cleanup.get_rocksdb_compact_filter_cleanup_strategy().get_periodic_compaction_time() == Time.days(2)


def test_without_cleanup_in_the_background_there_is_no_default_strategy():
    cleanup = StateTtlConfig.new_builder(Time.hours(1)).disable_cleanup_in_background().build().get_cleanup_strategies()
    assert cleanup.get_incremental_cleanup_strategy() is None
    assert cleanup.get_rocksdb_compact_filter_cleanup_strategy() is None


def test_a_disabled_configuration_counts_as_none():
    descriptor = ValueStateDescriptor("v", Types.INT())
    assert descriptor.get_ttl_config() is None
    builder = StateTtlConfig.new_builder(Time.hours(1))
    descriptor.enable_time_to_live(builder.set_update_type(StateTtlConfig.UpdateType.Disabled).build())
    assert descriptor.get_ttl_config() is None
    descriptor.enable_time_to_live(builder.update_ttl_on_create_and_write().build())
    assert descriptor.get_ttl_config() is not None


def test_descriptors_travel():
    made = ValueStateDescriptor("v", Types.INT())
    made.enable_time_to_live(StateTtlConfig.new_builder(Time.hours(1)).cleanup_incrementally(5, True).build())
    there = pickle.loads(pickle.dumps(made))
    assert there.get_name() == "v"
    assert there.get_ttl_config().get_ttl() == Time.hours(1)
    assert there.get_ttl_config().get_update_type() is StateTtlConfig.UpdateType.OnCreateAndWrite
