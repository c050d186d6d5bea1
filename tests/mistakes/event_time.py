"""Mistakes with event time and windows."""

from __future__ import annotations

from .mistake import EAGER, Mistake

TITLE = "Time and windows"

MISTAKES = (
    Mistake(
        "no-timestamps",
        "Windows of event time on a stream without a timestamp assigner",
        "The job fails: `TumblingEventTimeWindows go by the timestamps of records, and this record has none. Give the "
        "stream assign_timestamps_and_watermarks(...) before key_by`",
        "`assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(...))` before `key_by`",
        """
        windows = readings.key_by(lambda r: r[0]).window(TumblingEventTimeWindows.of(Time.seconds(10)))
        windows.reduce(lambda a, b: b).print()  # here
        env.execute()
        """,
        ("operator 'Window(TumblingEventTimeWindows, Reduce)' failed", "{here}", "record:   ('a', 1)"),
    ),
    Mistake(
        "assigner-lambda",
        "A lambda as the timestamp assigner",
        "The script stops: `timestamp_assigner must be an object of a subclass of TimestampAssigner, whose "
        "extract_timestamp(self, value, record_timestamp) returns the time in ms since 1970`",
        "A class with that method, and an object of it, as in PyFlink",
        """
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda value, time: value[1])
        words.assign_timestamps_and_watermarks(strategy)
        """,
        exit_code=2,
    ),
    Mistake(
        "datetime",
        "`extract_timestamp` returns a `datetime`, a text or None",
        "The job fails: `extract_timestamp must return the time in ms since 1970 as an int, got a datetime: "
        "datetime.datetime(2024, 1, 1, 0, 0); "
        "for a datetime: int(value.timestamp() * 1000)`",
        "`int(value.timestamp() * 1000)`",
        """
        class Told(TimestampAssigner):
            def extract_timestamp(self, value, record_timestamp):  # here
                return datetime.fromisoformat(value)

        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Told())
        env.from_collection(["2024-01-01T00:00:00"]).assign_timestamps_and_watermarks(strategy).print()
        env.execute()
        """,
        ("operator 'Timestamps/Watermarks' failed", "function: Told.extract_timestamp", "{here}"),
    ),
    Mistake(
        "seconds",
        "Timestamps in seconds, microseconds or nanoseconds",
        "Windows fire years too late or at once. A warning says: `the timestamps of 'Timestamps/Watermarks' …look like "
        "seconds, but are taken for ms: …is 1970-01-20`",
        "Return ms since 1970",
        EAGER
        + """
sums(timed(numbers(30_000), lambda n: 1_700_000_000 + n)).add_sink(lambda value: None)
env.execute()
""",
        ("extract_timestamp must return ms since 1970",),
        exit_code=0,
    ),
    Mistake(
        "time-zones",
        "Times with and without a time zone in one expression",
        "The job fails: `TypeError: can't compare offset-naive and offset-aware datetimes`, with the `hint:     one of "
        "the two times has a time zone and the other has not`. A time without a zone counts as the machine's local "
        "time "
        "in timestamp(), which is no error",
        "Use `datetime.fromtimestamp(seconds, timezone.utc)`, or `value.replace(tzinfo=timezone.utc)`",
        """
        START = datetime(2024, 1, 1)
        times = env.from_collection([datetime(2024, 1, 2, tzinfo=timezone.utc)])
        times.filter(lambda time: time > START).print()  # here
        times.map(lambda time: time.timestamp()).print()
        env.execute()
        """,
        ("operator 'Filter' failed", "{here}"),
    ),
    Mistake(
        "constant-time",
        "Timestamps that do not grow: a constant, a date without the time of day",
        "The watermark does not move, and no window fires before the end. A warning says: `the watermark of "
        "'Timestamps/Watermarks' …has stopped at 2023-11-14 22:13:19…no record since was newer`",
        "Take the time from the record",
        EAGER
        + """
sums(timed(numbers(40_000), lambda n: 1_700_000_000_000)).add_sink(lambda value: None)
env.execute()
""",
        ("so windows and timers do not fire", "extract_timestamp may return a constant"),
        exit_code=0,
    ),
    Mistake(
        "idle-partition",
        "A partition or subtask that gets no records holds back the watermark",
        "No window fires, though records come. A warning names what is waited for: `the watermark of "
        "'Window(TumblingEventTimeWindows, Reduce)' …it waits for subtask 1, subtask 2, subtask 3 of "
        "'Timestamps/Watermarks'`",
        "`strategy.with_idleness(Duration.of_seconds(60))`",
        EAGER
        + """
one_subtask = numbers(40_000).partition_custom(lambda key, n: 0, lambda n: n).map(lambda n: n)
sums(timed(one_subtask, lambda n: n * 1000)).add_sink(lambda value: None)  # here
env.execute()
""",
        ("with_idleness(Duration.of_seconds(60))",),
        exit_code=0,
    ),
    Mistake(
        "union-without-watermarks",
        "`union` or `connect` of a stream with watermarks and one without",
        "No window fires. A warning says: `it waits for 'Source: numbers' …which makes no watermarks`",
        "Give both streams `assign_timestamps_and_watermarks`, or only the joined one",
        EAGER
        + """
others = numbers(80_000).filter(lambda n: n < 0)
sums(timed(numbers(80_000), lambda n: n * 1000).union(others)).add_sink(lambda value: None)
env.execute()
""",
        ("give that stream assign_timestamps_and_watermarks(...), too",),
        exit_code=0,
    ),
    Mistake(
        "time-in-the-future",
        "A record with a time in the future, or an out-of-orderness bound that is too small",
        "All that follows is late and dropped. A warning counts: `'Window(TumblingEventTimeWindows, Reduce)' …has "
        "dropped …records as late, up to …days behind the watermark`",
        "Filter wrong times out; `for_bounded_out_of_orderness(...)` with a larger bound, `allowed_lateness(...)`, or "
        "`side_output_late_data(tag)`",
        EAGER
        + """
env.set_parallelism(1)
stream = timed(numbers(40_000), lambda n: 4_500_000_000_000 if n == 100 else n * 1000)
sums(stream).add_sink(lambda value: None)
env.execute()
""",
        ("A single record with a time in the future makes all others late",),
        exit_code=0,
    ),
    Mistake(
        "processing-time",
        "Windows of processing time on a short, bounded input",
        "The job ends with no result: the clock never gets to the windows' end. A warning says: `has had 3 records and "
        "never fired: the input ended before the clock reached a window's end`",
        "Windows of event time, or `env.set_runtime_mode(RuntimeExecutionMode.BATCH)`",
        """
        windows = words.key_by(lambda word: word).window(TumblingProcessingTimeWindows.of(Time.seconds(30)))
        windows.reduce(lambda a, b: b).print()  # here
        env.execute()
        """,
        ("'Window(TumblingProcessingTimeWindows, Reduce)'", "{here}", "0 out", "1 warning"),
        exit_code=0,
    ),
    Mistake(
        "global-windows",
        "`GlobalWindows` without a trigger, or a `count_window` that no key ever fills",
        "No result. A warning says: `never fired: GlobalWindows never end; give them a trigger, such as "
        ".trigger(CountTrigger.of(100))`, or how many records no key has had",
        "`.trigger(CountTrigger.of(n))`; a smaller count",
        """
        words.key_by(lambda word: word).window(GlobalWindows.create()).reduce(lambda a, b: b).print()
        words.key_by(lambda word: word).count_window(5).reduce(lambda a, b: b).print()
        env.execute()
        """,
        ("no key has had 5 records yet",),
        exit_code=0,
    ),
    Mistake(
        "print-of-windows",
        "`window(...)` without a function: `.window(...).print()`",
        "The script stops: `'WindowedStream' object has no attribute 'print'; call reduce, aggregate, apply or process "
        "first: they make a stream`",
        "`.window(...).reduce(...).print()`",
        """
        readings.key_by(lambda r: r[0]).window(TumblingEventTimeWindows.of(Time.seconds(10))).print()
        """,
        exit_code=2,
    ),
)
