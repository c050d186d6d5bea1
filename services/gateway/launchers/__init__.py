"""Where drivers run.

launcher    what a launcher is
processes   processes of this machine, from a pool that is ready for the next job
driver      such a process
docker      containers
container_log    a container's log, line by line
docker_settings  what can be set of containers
kubernetes  pods
kubernetes_settings  what can be set of pods
pods        the pod and the secret of an attempt
external    drivers that others start
external_drivers  the file that names them
sql         jobs of sessions of SQL
sql_notes   the sessions' notes on them
ended       how an attempt ended, once its engine has forgotten it
refusal     a driver that its engine will not start
variables   a launcher's settings from environment variables
"""
