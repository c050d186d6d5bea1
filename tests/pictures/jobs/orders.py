"""Orders and their payments: revenue by window, a slow check of orders, and orders that nobody pays."""

from __future__ import annotations

import time

from partitions import Partitions
from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.datastream import (
    AggregateFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    StreamExecutionEnvironment,
)
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

from datastream.connectors import DiscardingSink

SHOPS = ("Oslo", "Lyon", "Porto", "Graz", "Turin", "Gdansk", "Leeds", "Ghent")
CHECK_S = 0.0032
"""A check takes this long, as if it called another service."""


def order(partition, number):
    """Every third order is from the largest shop."""
    seed = number * 7 + partition * 3
    shop = SHOPS[0 if seed % 3 == 0 else seed % 8]
    return {"id": f"{partition}-{number}", "shop": shop, "cents": 500 + seed * 37 % 9000}


def payment(partition, number):
    """Each tenth payment does not come."""
    return {"order": f"{partition}-{number}", "comes": number % 10 != 0}


class Revenue(AggregateFunction):
    """Cents of a window."""

    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value["cents"]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b


class CheckFraud(KeyedProcessFunction):
    """Compares an order with the shop's mean."""

    def open(self, runtime_context):
        self.mean = runtime_context.get_state(ValueStateDescriptor("mean", Types.FLOAT()))

    def process_element(self, value, ctx):
        time.sleep(CHECK_S)
        mean = self.mean.value() or 4000.0
        self.mean.update(mean + (value["cents"] - mean) / 100)
        if value["cents"] > 1.9 * mean:
            yield value["id"], value["shop"], value["cents"]


class MatchPayments(KeyedCoProcessFunction):
    """Emits orders that were not paid within ten seconds."""

    def open(self, runtime_context):
        self.waits = runtime_context.get_state(ValueStateDescriptor("waits", Types.LONG()))

    def process_element1(self, value, ctx):
        due = ctx.timestamp() + 10_000
        self.waits.update(due)
        ctx.timer_service().register_event_time_timer(due)

    def process_element2(self, value, ctx):
        due = self.waits.value()
        if due is not None:
            ctx.timer_service().delete_event_time_timer(due)
            self.waits.clear()

    def on_timer(self, timestamp, ctx):
        self.waits.clear()
        yield ctx.get_current_key()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
in_time = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2))
orders = env.from_source(
    Partitions("orders", (110.0, 110.0, 110.0, 110.0), (300, 900, 500, 6500), order), in_time, "Orders"
).uid("orders")
payments = env.from_source(
    Partitions("payments", (110.0, 110.0, 110.0, 110.0), (800, 1500, 1100, 2300), payment), in_time, "Payments"
).uid("payments")

valid = orders.filter(lambda one: one["cents"] > 0).uid("valid").name("Valid orders")
by_shop = valid.key_by(lambda one: one["shop"])
revenue = by_shop.window(TumblingEventTimeWindows.of(Time.seconds(5))).aggregate(Revenue())
revenue.uid("revenue").name("Revenue in 5 s").sink_to(DiscardingSink()).uid("revenues").name("Revenue table")
checked = by_shop.process(CheckFraud()).uid("fraud").name("Check for fraud")
checked.sink_to(DiscardingSink()).uid("alerts").name("Alerts")

paid = payments.filter(lambda one: one["comes"]).uid("paid").name("Completed payments")
matched = valid.key_by(lambda one: one["id"]).connect(paid.key_by(lambda one: one["order"])).process(MatchPayments())
unpaid = matched.uid("match").name("Match payments")
unpaid.map(lambda one: f"remind {one}").uid("remind").name("Write reminders").sink_to(DiscardingSink()).uid(
    "reminders"
).name("Reminders")
env.execute("orders")
