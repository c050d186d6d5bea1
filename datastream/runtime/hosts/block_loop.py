"""The loop over a block's records that hosts of process functions share, one generated function a variant.

To decide anything a record would cost up to a third of what the loop takes, so each variant holds only its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from datastream.codegen import SourceText
from datastream.runtime.keyed_state import apart

from .host import Host, Out, Times

#: (host, function of a record and the context, context, records, keys or None, timestamps or None) -> results.
BlockLoop = Callable[[Host, Callable[[Any, Any], Any], Any, list[Any], list[Any] | None, Times | None], Out]


@cache
def block_loop(keyed: bool, stamped: bool, timed: bool, copies: bool) -> BlockLoop:
    """The loop that calls a function for each record of a block; where it raises, `Host.record` is the record.

    Args:
        keyed: The host's keyed states point at each record's key.
        stamped: The records carry timestamps, which the context gets.
        timed: The results carry the timestamps of their records.
        copies: Results are copied when they are given, since a state may keep them and change later.
    """
    code = SourceText(apart=apart)
    inputs = {"key": keyed, "record": True, "time": stamped}
    names = [name for name, present in inputs.items() if present]
    with code.function("def loop(host, element, context, records, keys, times)"):
        code.lines("out = []", "out_times = []", "context.time = record = None")
        if keyed:
            code.lines("cell = host.states.cell", "values = host.states.values")
        with code.block("try"):
            over = ", ".join(f"{name}s" for name in names)
            with code.block(f"for {', '.join(names)} in {over if len(names) == 1 else f'zip({over})'}"):
                if keyed:
                    code.lines("cell.key = key", "cell.content = values[key]")
                if stamped:
                    code.line("context.time = time")
                _give_results(code, stamped and timed, copies)
        with code.block("except BaseException"):
            code.lines("host.record = record", "raise")
        times = "None" if not timed else "out_times" if stamped else "[None] * len(out)"
        code.line(f"return out, {times}")
    return code.compiled("loop", "block loop")


def _give_results(code: SourceText, stamps: bool, copies: bool) -> None:
    """The lines that call the function for a record and keep its results."""
    call = "(r := element(record, context)) is"
    if not stamps and not copies:
        with code.block(f"if {call} not None"), code.block("for result in r"):
            code.line("out.append(result)")  # `out += r` takes longer for a generator that yields nothing
        return
    with code.block(f"for result in () if {call} None else r"):
        code.line("out.append(apart(result))" if copies else "out.append(result)")
        if stamps:
            code.line("out_times.append(time)")
