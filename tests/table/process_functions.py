"""Process table functions of the tests: the examples of Flink's page on them, and some that are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any

from datastream.table import (
    ArgumentHint,
    ArgumentTrait,
    DataTypes,
    ListView,
    MapView,
    ProcessTableFunction,
    StateHint,
)
from datastream.time import Instant
from datastream.types import Row, RowKind

Context = ProcessTableFunction.Context
OnTimerContext = ProcessTableFunction.OnTimerContext

OF_ROWS = ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)
OF_SETS = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
IN_TIME = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.REQUIRE_ON_TIME)


class Greeting(ProcessTableFunction):
    def eval(self, input: Annotated[Row, OF_ROWS]) -> str:
        self.collect(f"Hello {input.name}!")


@dataclass
class CountState:
    counter: int = 0


class GreetingWithMemory(ProcessTableFunction):
    def eval(self, state: Annotated[CountState, StateHint()], input: Annotated[Row, OF_SETS]) -> str:
        state.counter += 1
        yield f"Hello {input.name}, your {state.counter} time?"


@dataclass
class StayState:
    name: str | None = None
    counter: int = 0


class GreetingWithFollowUp(ProcessTableFunction):
    def eval(self, ctx: Context, state: Annotated[StayState, StateHint()], input: Annotated[Row, IN_TIME]) -> str:
        state.name = input.name
        state.counter += 1
        yield f"Hello {state.name}, your {state.counter} time?"
        time = ctx.time_context(Instant)
        time.register_on_time("follow-up", Instant.of_epoch_milli(time.time().to_epoch_milli() + 60_000))

    def on_timer(self, ctx: OnTimerContext, state: StayState) -> str:
        self.collect(f"Hello {state.name}, I hope you enjoy your stay! ({ctx.current_timer()})")


@dataclass
class LastItemState:
    item: str | None = None


class GreetingWithLastPurchase(ProcessTableFunction):
    def eval(
        self,
        state: Annotated[LastItemState, StateHint()],
        visit: Annotated[Row | None, OF_SETS],
        purchase: Annotated[Row | None, OF_SETS],
    ) -> str:
        if purchase is not None:
            state.item = purchase.item
        elif visit is not None:
            yield f"Hello {visit.name}, let me remind you of {state.item}"


@dataclass
class JoinState:
    order: str | None = None
    paid: Annotated[Any, DataTypes.DECIMAL(8, 2)] = None


class Joiner(ProcessTableFunction):
    """An order with its payment, whichever comes first; what has no partner after an hour is reported."""

    def get_result_type(self) -> str:
        return "ROW<item STRING, price DECIMAL(8, 2), status STRING>"

    def eval(
        self,
        ctx: Context,
        state: Annotated[JoinState, StateHint(name="pair")],
        order: Annotated[Row, IN_TIME],
        payment: Annotated[Row, IN_TIME],
        hours: int = 1,
    ):
        time = ctx.time_context(datetime)
        if order is not None:
            state.order = order.item
        else:
            state.paid = payment.price
        if state.order is not None and state.paid is not None:
            ctx.clear_all()
            yield Row(state.order, state.paid, "paid")
        else:
            time.register_on_time("timeout", time.time() + timedelta(hours=hours))

    def on_timer(self, state: JoinState):
        yield state.order, state.paid, "no payment" if state.paid is None else "no order"


class CheckoutProcessor(ProcessTableFunction):
    """Items of a basket, which a checkout emits, and a reminder where none comes."""

    def get_result_type(self) -> str:
        return "ROW<kind STRING, items MAP<STRING, BIGINT>, hints ARRAY<STRING>>"

    def eval(
        self,
        ctx: Context,
        basket: Annotated[MapView[str, int], StateHint(ttl="7 d")],
        seen: Annotated[ListView[str], StateHint(ttl=timedelta(days=7))],
        events: Annotated[Row, IN_TIME],
        reminder_s: Annotated[int, ArgumentHint(name="reminder", type="INT")] = 60,
    ):
        if events.event == "ADD":
            basket[events.item] = (basket.get(events.item) or 0) + 1
            seen.add(events.item)
            time = ctx.time_context(int)
            time.register_on_time("reminder", time.time() + reminder_s * 1000)
        else:
            yield "CHECKOUT", dict(basket.items()), list(seen)
            ctx.clear_all()

    def on_timer(self, basket: MapView[str, int], seen: ListView[str]):
        yield "REMINDER", dict(basket.items()), list(seen.get())


class Timers(ProcessTableFunction):
    """Sets a timer a name, replaces it, and clears others."""

    def eval(self, ctx: Context, input: Annotated[Row, IN_TIME]) -> str:
        time = ctx.time_context(int)
        now = time.time()
        time.register_on_time("first", now + 100)
        time.register_on_time("first", now + 300)
        time.register_on_time("second", now + 300)
        time.register_on_time(now + 300)
        time.register_on_time(now + 200)
        time.clear_timer(now + 200)
        time.register_on_time("gone", now + 250)
        time.clear_timer("gone")
        yield f"row {now} {ctx.table_semantics_for('input').partition_by_columns()}"

    def on_timer(self, ctx: OnTimerContext) -> str:
        time = ctx.time_context(int)
        yield f"{ctx.current_timer()} {time.time()} {time.current_watermark() >= time.time()}"


class Passing(ProcessTableFunction):
    def eval(
        self,
        input: Annotated[Row, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.PASS_COLUMNS_THROUGH)],
        factor: Annotated[int, ArgumentHint(type="INT")],
        suffix: Annotated[str | None, ArgumentHint(is_optional=True)],
    ) -> str:
        yield input.name * factor + str(suffix)


class Kinds(ProcessTableFunction):
    """The kinds of rows, by partition or of all."""

    def eval(
        self,
        state: Annotated[Row, StateHint(type="ROW<n INT, last ROW<k INT>>")],
        input: Annotated[
            Row,
            ArgumentHint(
                ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.OPTIONAL_PARTITION_BY, ArgumentTrait.SUPPORT_UPDATES
            ),
        ],
    ) -> str:
        state["n"] = (state.n or 0) + 1
        yield f"{input.get_row_kind()}{input.name} {input.c} {state.n}"


class AllKinds(ProcessTableFunction):
    def eval(
        self,
        input: Annotated[
            Row,
            ArgumentHint(
                ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES, ArgumentTrait.REQUIRE_UPDATE_BEFORE
            ),
        ],
    ) -> str:
        yield f"{input.get_row_kind()}{input.name} {input.c}"


class Failing(ProcessTableFunction):
    def eval(self, state: Annotated[CountState, StateHint()], input: Annotated[Row, OF_SETS]) -> str:
        yield str(1 // (len(input.name) - 3))


class WrongResult(ProcessTableFunction):
    def eval(self, input: Annotated[Row, OF_ROWS]) -> int:
        yield input.name


class WrongKind(ProcessTableFunction):
    def get_result_type(self) -> str:
        return "ROW<name STRING>"

    def eval(self, input: Annotated[Row, OF_ROWS]):
        yield Row.of_kind(RowKind.DELETE, input.name)


class WrongState(ProcessTableFunction):
    def eval(self, state: Annotated[CountState, StateHint()], input: Annotated[Row, OF_SETS]) -> int:
        state.counter = input.name
        yield 1


class StateOfNumber(ProcessTableFunction):
    def eval(self, state: Annotated[int, StateHint()], input: Annotated[Row, OF_SETS]) -> int:
        yield 1


@dataclass
class NoDefaults:
    n: int


class StateWithoutDefaults(ProcessTableFunction):
    def eval(self, state: Annotated[NoDefaults, StateHint()], input: Annotated[Row, OF_SETS]) -> int:
        yield 1


@dataclass
class Unknown:
    things: list = field(default_factory=list)


class StateOfUnknown(ProcessTableFunction):
    def eval(self, state: Annotated[Unknown, StateHint()], input: Annotated[Row, OF_SETS]) -> int:
        yield 1


class StateOfRows(ProcessTableFunction):
    def eval(self, state: Annotated[CountState, StateHint()], input: Annotated[Row, OF_ROWS]) -> int:
        yield 1


class WithoutHint(ProcessTableFunction):
    def eval(self, input: Row) -> int:
        yield 1


class WithoutTable(ProcessTableFunction):
    def eval(self, n: int) -> int:
        yield 1


class OtherTimer(ProcessTableFunction):
    def eval(self, state: Annotated[CountState, StateHint()], input: Annotated[Row, OF_SETS]) -> int:
        yield 1

    def on_timer(self, ctx, counts):
        yield 1


class WithoutTimer(ProcessTableFunction):
    def eval(self, ctx: Context, input: Annotated[Row, OF_SETS]) -> int:
        ctx.time_context(int).register_on_time("a", 1)
        yield 1


class Running(ProcessTableFunction):
    """States and timers whose results do not hang on the order of rows; for golden plans."""

    def get_result_type(self) -> str:
        return "ROW<kind STRING, n BIGINT, most BIGINT>"

    def eval(
        self,
        ctx: Context,
        state: Annotated[CountState, StateHint()],
        most: Annotated[MapView[int, int], StateHint()],
        input: Annotated[Row, IN_TIME],
    ):
        state.counter += 1
        most[input.v % 7] = max(input.v, most.get(input.v % 7) or 0)
        time = ctx.time_context(int)
        time.register_on_time(time.time() + 5000)
        time.register_on_time("end", 1_000_000)
        yield "row", input.n, None

    def on_timer(self, ctx: OnTimerContext, state: CountState, most: MapView[int, int]):
        if ctx.current_timer() == "end":
            yield "end", state.counter, sum(most.values())
        else:
            yield "timer", ctx.time_context(int).time(), None
