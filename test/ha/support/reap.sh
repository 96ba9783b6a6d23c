#!/bin/sh
# Waits until the parent closes standard input or ends. Then ends every process whose working directory is $1 or below it,
# and removes $1.
cat >/dev/null

those_in() {
  find /proc/[0-9]*/cwd -maxdepth 0 \( -lname "$1" -o -lname "$1/*" \) 2>/dev/null | cut -d/ -f3
}

# SIGQUIT lets PostgreSQL remove its shared memory. Processes that have not ended after two seconds are killed.
signal=QUIT
attempt=0
while
  pids=$(those_in "$1")
  [ -n "$pids" ]
do
  # shellcheck disable=SC2086 # One word per process.
  kill -$signal $pids 2>/dev/null
  attempt=$((attempt + 1))
  [ $attempt -lt 20 ] || signal=KILL
  sleep 0.1
done
rm -rf "$1"
