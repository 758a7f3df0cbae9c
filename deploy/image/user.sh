#!/bin/sh
# Creates the user of the service and its data folder. Run as root. Can be run again.
set -eu
getent group colophon > /dev/null || groupadd --gid 10001 colophon
getent passwd colophon > /dev/null || useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin colophon
install -d -o colophon -g colophon -m 0700 /data
