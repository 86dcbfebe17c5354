#!/bin/sh
# Brings the model servers of a profile up in the right order, waits until they answer, and takes them down:
#   ./agent-mode.sh [up|down|status|logs|setup] [--profile P] [further options of comic-narrator serve]
# Without a profile it takes the one for this machine's card. All of the work is done by `comic-narrator serve`.
set -eu

case "${1-}" in
    up | down | status | logs | setup) ;;
    "" | --profile*) set -- up "$@" ;;
    -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "agent-mode.sh: there is no $1: say up, down, status, logs or setup." >&2 && exit 2 ;;
esac

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -x "$here/.venv/bin/comic-narrator" ]; then
    exec "$here/.venv/bin/comic-narrator" serve "$@"
elif command -v comic-narrator > /dev/null; then
    exec comic-narrator serve "$@"
fi
echo "agent-mode.sh: there is no comic-narrator here. Install it first: pip install $here" >&2
exit 4
