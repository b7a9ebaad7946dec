#!/usr/bin/env bash
# Says which Chromium the browser tests and the still pictures will use. Where there is none, installs Debian's if we are root on a machine
# with apt-get (a container, CI); elsewhere says what to do and leaves the machine alone.
set -euo pipefail

find_chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
    if command -v "$name"; then return 0; fi
  done
  return 1
}

if found=$(find_chromium); then
  echo "Chromium: $found"
elif [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "Chromium: none here, installing Debian's, with a Chinese font (a minute or two)"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -y -q --no-install-recommends chromium fonts-noto-cjk
  find_chromium
else
  echo "Chromium: none found. The browser tests are skipped and figures get no still pictures; install chromium to have both." >&2
fi
