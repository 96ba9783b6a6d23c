#!/bin/sh
# Waits until the one who holds the other end of standard input closes it or is gone, however that came. Then ends every
# process that works in the directory $1 or below it, and removes it.
cat >/dev/null

those_in() {
  find /proc/[0-9]*/cwd -maxdepth 0 \( -lname "$1" -o -lname "$1/*" \) 2>/dev/null | cut -d/ -f3
}

# PostgreSQL removes its shared memory on SIGQUIT; whoever does not heed that within two seconds is killed.
signal=QUIT
attempt=0
while
  pids=$(those_in "$1")
  [ -n "$pids" ]
do
  # shellcheck disable=SC2086 # One word a process.
  kill -$signal $pids 2>/dev/null
  attempt=$((attempt + 1))
  [ $attempt -lt 20 ] || signal=KILL
  sleep 0.1
done
rm -rf "$1"
