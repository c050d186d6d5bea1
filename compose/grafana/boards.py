"""The boards of Grafana, as code. ``python compose/grafana/boards.py`` writes their JSON anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DataSourceRef, VariableRefresh

FOLDER = Path(__file__).parent / "dashboards"
_SOURCE = DataSourceRef(type_val="prometheus", uid="${source}")
_JOB = 'job_name=~"$job"'


@dataclass(frozen=True)
class Graph:
    """A panel.

    Attributes:
        title: What it shows.
        queries: Legend -> query.
        unit: Of the values, by Grafana's name.
        about: For who wonders what it means.
        single: One number instead of a graph.
        width: Of 24.
    """

    title: str
    queries: dict[str, str]
    unit: str = "short"
    about: str = ""
    single: bool = False
    width: int = 8


def _rate(metric: str, by: str = "", where: str = _JOB) -> str:
    rate = f"rate({metric}{{{where}}}[$__rate_interval])"
    return f"sum by ({by}) ({rate})" if by else f"sum({rate})"


def _quantile(share: float) -> str:
    buckets = _rate("datastream_job_epoch_seconds_bucket", "le")
    return f"histogram_quantile({share}, {buckets})"


#: Row -> panels of the board of a job.
JOB: dict[str, list[Graph]] = {
    "Job": [
        Graph(
            "Running",
            {"running": f'sum(datastream_job_status{{{_JOB}, status="RUNNING"}})'},
            about="Jobs that run, of those chosen above.",
            single=True,
            width=4,
        ),
        Graph(
            "Up for",
            {"up": f"max(time() - datastream_job_start_time_seconds{{{_JOB}}})"},
            "s",
            single=True,
            width=4,
        ),
        Graph(
            "Restarts in an hour",
            {"restarts": f"sum(increase(datastream_job_restarts_total{{{_JOB}}}[1h]))"},
            single=True,
            width=4,
        ),
        Graph(
            "Since the last commit",
            {"since": f"max(time() - datastream_job_last_commit_timestamp_seconds{{{_JOB}}})"},
            "s",
            "Grows while there is no input, and while an epoch is stuck.",
            single=True,
            width=4,
        ),
        Graph("Records read", {"records": _rate("datastream_job_records_in_total")}, "cps", single=True, width=4),
        Graph(
            "Waiting in the sources",
            {"records": f"sum(datastream_source_pending_records{{{_JOB}}})"},
            single=True,
            width=4,
        ),
        Graph(
            "Records",
            {
                "in {{job_name}}": _rate("datastream_job_records_in_total", "job_name"),
                "out {{job_name}}": _rate("datastream_job_records_out_total", "job_name"),
            },
            "cps",
        ),
        Graph(
            "Epochs", {"half": _quantile(0.5), "99 %": _quantile(0.99)}, "s", "From an epoch's planning to its commit."
        ),
        Graph(
            "Where the time goes",
            {"{{phase}}": _rate("datastream_job_phase_seconds_total", "phase")},
            "s",
            "Of each second. plan: ends of the sources; compile: Spark's plan; run: tasks and commit; log: offsets.",
        ),
    ],
    "Sources and sinks": [
        Graph(
            "Waiting, by source and partition",
            {"{{operator}} {{partition}}": f"datastream_source_pending_records{{{_JOB}}}"},
            about="Kafka's lag.",
        ),
        Graph(
            "Time of a commit",
            {
                "{{operator}}": _rate("datastream_sink_commit_seconds_total", "operator")
                + " / "
                + _rate("datastream_sink_commits_total", "operator")
            },
            "s",
        ),
        Graph(
            "Event time behind the clock",
            {"{{operator}}": f"max by (operator) (datastream_operator_watermark_lag_seconds{{{_JOB}}})"},
            "s",
            "Of the slowest subtask.",
        ),
        Graph(
            "Bytes",
            {
                "in {{job_name}}": _rate("datastream_source_bytes_total", "job_name"),
                "out {{job_name}}": _rate("datastream_sink_bytes_total", "job_name"),
            },
            "Bps",
            "Of connectors that count them: files and Kafka.",
        ),
    ],
    "Operators": [
        Graph("Records in", {"{{operator}}": _rate("datastream_operator_records_in_total", "operator")}, "cps"),
        Graph("Records out", {"{{operator}}": _rate("datastream_operator_records_out_total", "operator")}, "cps"),
        Graph(
            "Busiest subtasks",
            {
                "{{operator}} {{subtask}}": "topk(5, rate(datastream_operator_busy_seconds_total"
                f"{{{_JOB}}}[$__rate_interval]))"
            },
            "percentunit",
            "At 100 % a subtask does nothing else. Operators that are fused count as their first one.",
        ),
    ],
    "State and memory": [
        Graph(
            "Keys with state",
            {"{{operator}}": f"sum by (operator) (datastream_operator_state_keys{{{_JOB}}})"},
        ),
        Graph(
            "State by operator",
            {"{{operator}}": f"sum by (operator) (datastream_operator_state_bytes{{{_JOB}}})"},
            "bytes",
            "Before compression.",
        ),
        Graph("Timers", {"{{operator}}": f"sum by (operator) (datastream_operator_timers{{{_JOB}}})"}),
        Graph(
            "State on disk",
            {"{{job_name}}": f"datastream_job_state_disk_bytes{{{_JOB}}}"},
            "bytes",
        ),
        Graph(
            "State in memory",
            {"{{job_name}}": f"datastream_job_state_memory_bytes{{{_JOB}}}"},
            "bytes",
        ),
        Graph(
            "Memory of the driver", {"{{instance}}": "process_resident_memory_bytes"}, "bytes", "Its Python process."
        ),
    ],
}


def board(title: str, uid: str, rows: dict[str, list[Graph]]) -> str:
    """The JSON of a board."""
    made = (
        dashboard.Dashboard(title)
        .uid(uid)
        .tags(["datastream"])
        .refresh("10s")
        .time("now-30m", "now")
        .timezone("browser")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .readonly()
        .with_variable(dashboard.DatasourceVariable("source").label("Prometheus").type("prometheus"))
        .with_variable(
            dashboard.QueryVariable("job")
            .label("Job")
            .datasource(_SOURCE)
            .query("label_values(datastream_job_info, job_name)")
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
            .multi(True)
            .include_all(True)
            .all_value(".*")
        )
    )
    for row, graphs in rows.items():
        made = made.with_row(dashboard.Row(row))
        for graph in graphs:
            made = made.with_panel(_panel(graph))
    return JSONEncoder(sort_keys=True, indent=2).encode(made.build()) + "\n"


def _panel(graph: Graph) -> stat.Panel | timeseries.Panel:
    panel = stat.Panel() if graph.single else timeseries.Panel()
    panel = panel.title(graph.title).datasource(_SOURCE).unit(graph.unit).min(0)
    panel = panel.span(graph.width).height(4 if graph.single else 8)
    if graph.about:
        panel = panel.description(graph.about)
    if isinstance(panel, timeseries.Panel):
        legend = common.VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM)
        panel = panel.fill_opacity(10).legend(legend.show_legend(True))
    for legend_format, query in graph.queries.items():
        panel = panel.with_target(prometheus.Dataquery().expr(query).legend_format(legend_format))
    return panel


def boards() -> dict[str, str]:
    """File name -> JSON."""
    return {"job.json": board("Streaming jobs", "datastream-job", JOB)}


if __name__ == "__main__":
    for name, text in boards().items():
        (FOLDER / name).write_text(text)
