"""The processes of a run: Java, the Python processes that Spark starts, the session, what is shipped to workers.

java        finds a Java
run_folder  the run's temporary folder, and what dead runs left
archive     Java's loaded classes, kept for faster starts
gateway     starts the Java process, and stops it
zygote      a process from which Spark's Python processes fork, everything imported
zygote_process  a zygote as its driver sees it
launcher    what Spark starts as Python: asks the zygote
job_python  what Spark starts as Python for one job, in the job's environment
cluster_python  the same on other machines
session     the Spark session and its settings
kubernetes  settings for a driver in a pod, whose executors are pods
executor    the main process of such an executor
shipping    the project's and the user's modules for other machines
warming     a small job that makes the archive
"""
