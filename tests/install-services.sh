#!/usr/bin/env bash
# Installs, through apt-get and as root only, the programs the tests talk to and do not find.
set -euo pipefail

declare -A package=(
    [postgres]=postgresql
    [redis-server]=redis-server
    [chromium]=chromium
    [java]=default-jre-headless
    [npm]=npm
    [ip]=iproute2
    [nginx]=nginx-light
    [rsync]=rsync
    [curl]=curl
    [rabbitmq-server]=rabbitmq-server
    [xgettext]=gettext
)
missing=()
for program in "${!package[@]}"; do
    found=$(PATH="$PATH:/usr/sbin:$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')" command -v "$program" || true)
    [ -n "$found" ] || missing+=("${package[$program]}")
done
[ -e /usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so ] || missing+=(libnginx-mod-http-headers-more-filter)

if [ ${#missing[@]} = 0 ]; then
    :
elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
    echo "Not installed: ${missing[*]}. Tests that need them will be skipped, and fail under CI=true."
fi
