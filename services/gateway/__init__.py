"""The service that keeps artifacts, runs jobs from them, and shows how they are.

command      `datastream-gateway`: its commands
settings     what can be set
app          the HTTP service: routes, errors, the dashboard's files
routes       its paths, after Flink's REST API
models       what requests and answers hold
security     who may do what
limits       how large, how slow, how often and how many at once requests may be
admission    asks each request for its token first
accepting    takes connections, or turns them away
connections  which are held, and how long each may keep the gateway waiting
protocol     HTTP of one connection
log_limit    keeps the log from filling the disk
database     the tables
tokens       bearer tokens
artifacts    uploaded scripts and archives
packed       whether an uploaded file is what it says, and harmless
inspection   the program that looks into it, within limits of memory and time
plans        plans of artifacts, in processes of their own
jobs         jobs, as the database keeps them
supervisor   follows the drivers of jobs, and starts them again
driver_client   the HTTP client of a driver
figures      rates, lags and bottlenecks from what drivers count
launchers    where drivers run
sql          sessions of SQL, in processes of their own
dashboard    the pages for browsers
"""
