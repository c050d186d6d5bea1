#!/bin/sh
# Makes, once, the tokens that services show to each other. They stay in a volume, and in no file of the checkout.
#   runner.yaml  settings of the runner: the token that lets the gateway steer its job
#   control      the same token, for the gateway
#   prometheus   a token of the gateway's, with which Prometheus may read
set -eu
umask 077
cd /var/lib/datastream/tokens
chmod 755 .
if [ ! -s runner.yaml ]; then
    python -c 'import secrets; print(secrets.token_urlsafe(32))' >control
    printf 'control-token: %s\n' "$(cat control)" >.runner.yaml
    mv .runner.yaml runner.yaml
fi
if [ ! -s prometheus ]; then
    datastream-gateway token create --name prometheus --scope read | tr -d '\n' >.prometheus
    chmod 644 .prometheus
    mv .prometheus prometheus
fi
