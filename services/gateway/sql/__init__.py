"""Sessions of SQL, by the REST interface of Flink's SQL gateway. Each runs in a process of its own.

sessions         the open sessions
session_process  the program of a session
operations       its statements, one after the other
results          what they return, in pages
session_jobs     its jobs, noted and served for the gateway
adoption         takes them into the list of jobs
column_types     types of columns, as Flink writes them
row_texts        rows as JSON
"""
