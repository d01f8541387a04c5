#!/bin/sh
# A neighbour: computes on one CPU for a while, rests for a while, and so on, each time for 0.2 to 3 seconds at random.
#
#   sh examples/trust/hog.sh SECONDS
#
# It ends by itself after so many seconds, or with Ctrl-C, and leaves nothing behind.
set -eu

seconds=${1:?"how many seconds? For example: sh examples/trust/hog.sh 180"}
end=$(($(date +%s) + seconds))
hog=

stop() {
    if [ -n "$hog" ]; then
        kill "$hog" 2>/dev/null || true
        wait "$hog" 2>/dev/null || true
        hog=
    fi
}
trap stop EXIT
trap 'exit 130' INT TERM

# 0.2 to 3.0 seconds.
a_while() {
    od -An -N2 -tu2 /dev/urandom | awk '{ printf "%.1f", 0.2 + $1 / 65535 * 2.8 }'
}

while [ "$(date +%s)" -lt "$end" ]; do
    while :; do :; done &
    hog=$!
    sleep "$(a_while)"
    stop
    sleep "$(a_while)"
done
