"""Spark's own log: log4j's configuration, as text or as JSON lines with the fields of the job's log."""

from __future__ import annotations

import json

#: ``--log-file`` for a log that goes where the job's goes.
STANDARD_ERROR = "-"

_ROOT = """\
rootLogger.level = warn
rootLogger.appenderRef.log.ref = log
# Warns of each page of state that is asked for and not there, which is nothing to worry about.
logger.state.name = org.apache.spark.sql.execution.python.streaming.TransformWithStateInPySparkStateServer
logger.state.level = error
# Warns of each start.
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
appender.log.name = log
"""
_FILE = """\
appender.log.type = File
appender.log.fileName = {file}
appender.log.append = true
"""
_CONSOLE = """\
appender.log.type = Console
appender.log.target = {stream}
"""
_TEXT = """\
appender.log.layout.type = PatternLayout
appender.log.layout.pattern = %d{yyyy-MM-dd HH:mm:ss.SSS} %p %c{1}: %m%n%ex
"""
_JSON = f"""\
appender.log.layout.type = JsonTemplateLayout
appender.log.layout.maxStringLength = 16384
appender.log.layout.eventTemplate = {
    json.dumps(
        {
            "timestamp": {
                "$resolver": "timestamp",
                "pattern": {"format": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", "timeZone": "UTC"},
            },
            "level": {
                "$resolver": "pattern",
                "pattern": "%level{WARN=warning, FATAL=critical, TRACE=debug, lowerCase=true}",
                "stackTraceEnabled": False,
            },
            "logger": {"$resolver": "logger", "field": "name"},
            "event": {"$resolver": "message", "stringified": True},
            "thread": {"$resolver": "thread", "field": "name"},
            "exception": {"$resolver": "exception", "field": "stackTrace", "stackTrace": {"stringified": True}},
        }
    )
}
"""

#: What the lines of the JSON form begin with.
JSON_START = b'{"timestamp":"'


def configuration(file: str, form: str | None, local: bool) -> str:
    """The text of log4j's configuration.

    Args:
        file: Where the log goes; ``-``: to the driver's standard error.
        form: ``json``, or else text.
        local: The driver has started Java itself, and passes on what comes from Java's standard output.
    """
    if file == STANDARD_ERROR:
        where = _CONSOLE.format(stream="SYSTEM_OUT" if local else "SYSTEM_ERR")
    else:
        where = _FILE.format(file=file)
    return _ROOT + where + (_JSON if form == "json" else _TEXT)
