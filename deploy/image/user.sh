#!/bin/sh
# The user that the service runs as, and the folder that it may write to. Run as root; it may be run again.
set -eu
getent group colophon > /dev/null || groupadd --gid 10001 colophon
getent passwd colophon > /dev/null || useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin colophon
install -d -o colophon -g colophon -m 0700 /data
