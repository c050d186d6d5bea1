"""The results as tables."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table


def show(console: Console, report: dict[str, Any]) -> None:
    """Print all cases, then what the sides are made of."""
    facts = report["machine"]
    console.print("; ".join(f"{name}: {value}" for name, value in facts.items()), highlight=False)
    table = Table(title="Medians; the ratio is to the baseline of the same runs", title_justify="left")
    for name in ("case", "side"):
        table.add_column(name, overflow="fold")
    for name in ("median", "least to most", "ratio", "least to most"):
        table.add_column(name, justify="right", no_wrap=True)
    for case in report["cases"]:
        for i, side in enumerate(case["sides"]):
            base = side["name"] == case["baseline"]
            table.add_row(
                f"{case['id']}: {case['title']}" if i == 0 else "",
                side["name"],
                f"{number(side['median'])} {case['unit']}",
                f"{number(side['least'])} to {number(side['most'])}",
                "baseline" if base else f"{side['ratio']:.2f}",
                "" if base else f"{side['ratio_least']:.2f} to {side['ratio_most']:.2f}",
            )
        table.add_section()
    console.print(table)
    for case in report["cases"]:
        _details(console, case)


def _details(console: Console, case: dict[str, Any]) -> None:
    console.print(f"{case['id']}: {case['note']}", highlight=False)
    sides = [side for side in case["sides"] if side["parts"]]
    if not sides:
        return
    console.print(case["parts"], highlight=False)
    table = Table()
    table.add_column("")
    for side in sides:
        table.add_column(side["name"], justify="right")
    for name in dict.fromkeys(part for side in sides for part in side["parts"]):
        cells = [number(side["parts"][name]) if name in side["parts"] else "" for side in sides]
        table.add_row(name, *cells)
    console.print(table)


def number(value: float) -> str:
    """Three digits that count, or all before the point."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
