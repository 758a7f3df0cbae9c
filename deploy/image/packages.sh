#!/bin/sh
# Installs the Debian packages of the image. Run as root on a bare Debian. Can be run again.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
# libatomic1: needed by the Node in node_modules. libnss3-tools: certutil, for additional certificate authorities.
apt-get install --yes --no-install-recommends \
  ca-certificates libatomic1 tini \
  chromium-headless-shell libnss3-tools \
  fontconfig fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji fonts-noto-mono fonts-liberation \
  fonts-crosextra-carlito fonts-crosextra-caladea fonts-dejavu-core fonts-texgyre fonts-ebgaramond fonts-comic-neue \
  fonts-dancingscript fonts-stix
# LibreOffice lays out office documents: docker build --build-arg LIBREOFFICE=yes. It adds about 400 MB.
if [ "${LIBREOFFICE:-no}" = yes ]; then
  apt-get install --yes --no-install-recommends \
    libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-math-nogui python3 \
    hyphen-cs hyphen-da hyphen-de hyphen-en-gb hyphen-en-us hyphen-es hyphen-fr hyphen-hu hyphen-it hyphen-nl hyphen-no \
    hyphen-pl hyphen-pt-br hyphen-pt-pt hyphen-ru hyphen-sv hyphen-uk
fi
apt-get clean
rm -rf /var/lib/apt/lists/* /usr/share/doc/* /usr/share/man/* /var/log/apt /var/log/dpkg.log
