"""The stages of a query: what Spark runs of a job.

wire        blocks as Arrow batches
reporting   from the committer's process to the driver
source      JobSource: all sources of the job, and the chains after them
level       an exchange and the stage after it
state       pages in Spark's state store
sink        JobSink: all sinks of the job
"""
