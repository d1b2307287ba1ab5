#!/bin/bash
# Asks this container's server for its health, at the address that the variables give. The image has bash, but
# no HTTP client.
#
#   eventstore-health [PATH]    # /health, or /health?writes to fail also while writes fail

address=${SERVICE_BIND_ADDRESS:-127.0.0.1}
case $address in 0.0.0.0 | ::) address=127.0.0.1 ;; esac

exec 3<>"/dev/tcp/$address/${SERVICE_PORT:-8085}" || exit 1
{
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' "${1:-/health}"
  if [[ -n ${SERVICE_AUTH_TOKEN-} ]]; then printf 'Authorization: Bearer %s\r\n' "$SERVICE_AUTH_TOKEN"; fi
  printf '\r\n'
} >&3
read -r -t 4 _ status _ <&3 || exit 1
# 401: the token is in a file that this script does not read, but the server is up.
[[ $status == 200 || $status == 401 ]]
