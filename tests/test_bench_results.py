"""Published results of `scripts/bench`."""

from __future__ import annotations

from typing import Any

from bench.results import publish, publish_pairs


def case(ratio: float, totals: tuple[float, ...] = ()) -> dict[str, Any]:
    figures = {"least": 90.0, "most": 1234567.0, "runs": [{"value": 100, "totals": list(totals)}]}
    ours = {"name": "datastream", "median": 100 * ratio, "ratio": ratio, **figures}
    plain = {"name": "plain loop", "median": 100.0, "ratio": 1.0, **figures, "runs": [{"value": 100}]}
    return {
        "id": "x1",
        "title": "a job",
        "unit": "records/s",
        "note": "of numbers",
        "baseline": "plain loop",
        "sides": [ours, plain],
    }


def test_a_result_tells_machine_figures_and_percentiles(tmp_path):
    assert publish(case(0.5, tuple(range(1, 102))), {"cores": 2}, tmp_path) == []
    text = (tmp_path / "x1.txt").read_text()
    assert text.startswith("x1: a job\nof numbers\ncommit: ")
    assert "cores: 2" in text
    assert "1,234,567" in text
    assert "epochs of datastream: 101, in ms: p50 51, p90 91, p99 100, p100 101" in text
    assert "epochs of plain loop" not in text


def test_what_changed_by_more_than_a_twentieth_is_told(tmp_path):
    publish(case(0.5), {}, tmp_path)
    assert publish(case(0.49), {}, tmp_path) == []
    assert publish(case(0.4), {}, tmp_path) == ["x1: datastream: 0.40 of the baseline, was 0.49"]


def test_rates_of_two_sides_are_told_with_their_ratios(tmp_path):
    assert (
        publish_pairs("pairs", "two sides", {"cores": 2}, {"q1": (50.0, 100.0), "q2": (3000.0, 1000.0)}, tmp_path) == []
    )
    text = (tmp_path / "pairs.txt").read_text()
    assert text.startswith("pairs: two sides\ncommit: ")
    assert "q2                3,000          1,000     3.00\n" in text
    assert "median of the ratios: 1.75; least: 0.50" in text
    changed = publish_pairs("pairs", "two sides", {}, {"q1": (60.0, 100.0), "q2": (3001.0, 1000.0)}, tmp_path)
    assert changed == ["pairs: q1: 0.60 of the baseline, was 0.50"]
