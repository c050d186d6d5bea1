"""What is wrong with a job as it is written."""

from __future__ import annotations

import logging
from collections import Counter

from datastream.errors import ValidationError
from datastream.io import FeedbackSink, FeedbackSource

from .job_graph import JobGraph
from .operators import Feedback, Iteration, Operator, Sink, Source, Union


def check_graph(graph: JobGraph) -> None:
    """Refuse a job that cannot run as it is written.

    Raises:
        ValidationError: there is no sink or source, or two operators share a uid.
    """
    if not graph.operators:
        raise ValidationError("the job has no operators: make a stream from a source, and give it a sink")
    if all(isinstance(op.sink, FeedbackSink) for op in graph.of_kind(Sink)):
        _check_without_sink(graph)
    _check_loops(graph)
    _check_uids(graph)
    _check_side_outputs(graph)
    _check_key_groups(graph)


def _check_uids(graph: JobGraph) -> None:
    counts = Counter(op.state_uid for op in graph.operators)
    for uid, n in counts.items():
        if n > 1:
            places = ", ".join(f"'{op.name}' at {op.origin}" for op in graph.operators if op.state_uid == uid)
            raise ValidationError(f"the uid '{uid}' is used by {n} operators ({places}); a uid must be unique")


def _check_side_outputs(graph: JobGraph) -> None:
    for source in graph.of_kind(Source):
        read = {e.tag.tag_id for e in graph.edges if e.source == source.id and e.tag is not None}
        for tag in source.source.produced.side_tags:
            if tag.tag_id not in read:
                raise ValidationError(
                    f"the side output '{tag.tag_id}' of '{source.name}' (made at {source.origin}) is never read, so "
                    "its records would be lost; give stream.get_side_output(tag) a sink"
                )


def _check_key_groups(graph: JobGraph) -> None:
    for op in graph.operators:
        most = op.max_parallelism or graph.max_parallelism
        if op.keyed and graph.subtasks(op) > most:
            raise ValidationError(
                f"operator '{op.name}' has parallelism {graph.subtasks(op)}, more than its {most} key groups "
                "(set_max_parallelism)"
            )


def _check_without_sink(graph: JobGraph) -> None:
    """A job without a sink runs for what its functions do, as in Flink, if it has any."""
    last = graph.operators[-1]
    place = f"its last operator is '{last.name}', made at {last.origin}"
    if any(graph.of_kind(Sink)) or all(isinstance(op, (Source, Union)) for op in graph.operators):
        raise ValidationError(
            f"the job has no sink, so nothing would come out of it ({place}); end a stream with sink_to(...), "
            "add_sink(...), print() or execute_and_collect()"
        )
    logging.getLogger("datastream").warning(
        "the job has no sink: it runs for what its functions do, and their results are dropped (%s); end it with "
        "sink_to(DiscardingSink()) if that is meant, or with sink_to(...), add_sink(...), print() or "
        "execute_and_collect()",
        place,
    )


def _check_loops(graph: JobGraph) -> None:
    fed = {op.head for op in graph.of_kind(Feedback)}
    fed |= {edge.target for edge in graph.edges if _feeds_back(graph.operators[edge.source])}
    for op in graph.of_kind(Iteration):
        if op.id not in fed:
            raise ValidationError(
                f"the loop that iterate() began at {op.origin} is never closed: call close_with(feedback) on what "
                "iterate() returned, with the stream of the records that go round again"
            )


def _feeds_back(op: Operator) -> bool:
    return isinstance(op, Source) and isinstance(op.source, FeedbackSource)
