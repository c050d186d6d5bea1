"""The main process of a job's container: runs one job, and answers questions about it by HTTP.

command        the options
process        the order of things
settings       what can be set, and which source of settings wins
environment    settings from environment variables
settings_file  settings from a YAML file
job_code       the job: a script, a module or an archive
watch          how the job is: healthy, ready
upgrade        a job that does not fit its checkpoint goes on from a savepoint; generations: the files
scaling        another parallelism by backlog; scaling_rule: when; scaled_settings: what follows from it
restart        the runner as a new process in place of its old one
ending         SIGTERM: the epoch in hand, then the end
http_server    the endpoints
control        the endpoints for who watches and steers the job, such as a gateway
followed       how the latest job is
figures        what it did; operator_figures: of each operator
exceptions     what went wrong in it
note           where the endpoints are
plan_of        a command of its own: the plan of a job that does not run
exit_codes     what the supervisor hears
"""
