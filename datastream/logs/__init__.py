"""What user functions log: from wherever they run to the job's log, as JSON lines or as text.

place         which job, subtask and epoch the present thread works for
entry         one message of the log: its fields, JSON and text
rate_limit    how many messages a line of code may log
handler       takes messages of `logging` and structlog, and makes entries of them
structured    structlog's configuration
worker        the log of a worker process: it goes to the driver, or to standard error
channel       the driver's end of that way
job_log       the driver's log, which shows everything
"""
