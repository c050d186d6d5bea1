#!/bin/sh
# Makes, once, the tokens that services show to each other. They stay in volumes, one for each service that sees no other's,
# and in no file of the checkout.
#   tokens/control              lets the gateway steer the runner's job
#   tokens-of-job/runner.yaml   settings of the runner: the same token
#   tokens-of-prometheus/token  a token of the gateway's, with which Prometheus may read
set -eu
umask 077
cd /var/lib/datastream
chmod 755 tokens-of-prometheus
if [ ! -s tokens-of-job/runner.yaml ]; then
    python -c 'import secrets; print(secrets.token_urlsafe(32))' >tokens/control
    printf 'control-token: %s\n' "$(cat tokens/control)" >tokens-of-job/.runner.yaml
    mv tokens-of-job/.runner.yaml tokens-of-job/runner.yaml
fi
if [ ! -s tokens-of-prometheus/token ]; then
    datastream-gateway token create --name prometheus --scope read | tr -d '\n' >tokens-of-prometheus/.token
    chmod 644 tokens-of-prometheus/.token
    mv tokens-of-prometheus/.token tokens-of-prometheus/token
fi
