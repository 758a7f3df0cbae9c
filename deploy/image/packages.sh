#!/bin/sh
# What the image needs of Debian. Run as root on a bare Debian; it may be run again.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
# libatomic1: the Node that comes with the dependencies is linked against it. libnss3-tools: certutil, for further authorities.
apt-get install --yes --no-install-recommends \
  ca-certificates libatomic1 tini \
  chromium-headless-shell libnss3-tools \
  fontconfig fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji fonts-noto-mono fonts-liberation
apt-get clean
rm -rf /var/lib/apt/lists/* /usr/share/doc/* /usr/share/man/* /var/log/apt /var/log/dpkg.log
