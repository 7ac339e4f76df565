#!/usr/bin/env bash
# The exhaustive model of the protocol (README.md).
set -u
cd "$(dirname "$0")"
BINARY=target/protocol
LIMIT_SECONDS=${LIMIT_SECONDS:-300}
failed=0

# explore <what the last line must contain> <options of the model>
explore() {
  local expected=$1 output
  shift
  output=$(timeout "$LIMIT_SECONDS" "$BINARY" "$@") || output="$output
$* : did not end within $LIMIT_SECONDS s"
  echo "$output"
  case $(tail -1 <<<"$output") in
    *"$expected"*) ;;
    *) echo "UNEXPECTED: the result must contain '$expected'"; failed=1 ;;
  esac
}
broken() { echo "# $1"; shift; explore VIOLATION "$@"; }
clean_scope() { explore clean "$@" fix=all; }

holes() { # the draft, or the protocol without one of its rules: each scope prints the shortest trace of the failure
  broken "H1 late SKIPPED row"            sent crashes=0 tmax=5
  broken "H1b live result discarded"      sent crashes=0 tmax=5 ignore=256
  broken "H1c two live runs"              sent crashes=0 tmax=6 lease=3 ignore=288
  broken "H1d late WAITING row"           sent queue crashes=0 tmax=5
  broken "H2 hold of a reopened row"      sent fails attempts=1 ops=retry tmax=4 fix=all,-letgo
  broken "H3 row before entry, run-now"   sent ops=run-now tmax=3 fix=all,-entryfirst
  broken "H3b row before entry, retry"    sent workers=1 watchers=1 lag=2 fails attempts=1 ops=retry tmax=6 fix=all,-entryfirst
  broken "H4 WAITING survives a pause"    sent queue ops=pause tmax=5 fix=all,-waitrev
  broken "H5 completed swallows an edit"  sent once ops=edit-other tmax=4 fix=all,-oncerev
  broken "H5b completed by a run-now"     started once watchers=0 ops=run-now tmax=3 fix=all,-oncerev
  broken "H6 never completed"             sent once tmax=4 fix=all,-settleonce
  broken "H7 cancelled, then retried"     sent ops=cancel-exec,retry tmax=4 fix=all,-headnote
  broken "H8 lost response and retry"     sent fails lost ops=retry tmax=4 fix=all,-finrun
  broken "H9 backoff ignored"             sent fails tmax=4 fix=all,-nextat
}
without() { # rules that have no number
  broken "takeover without its row"       sent tmax=6 lease=2 fix=all without=row-at-takeover
  broken "taken, not yet fenced"          sent fails attempts=1 ops=retry tmax=5 lease=2 fix=all without=about-to-fence
  broken "takeover without compare-and-set" sent fails beat tmax=5 fix=all without=takeover-cas
  broken "note without help"              sent tmax=6 lease=3 fix=all without=help
  broken "writer without deadline"        workers=0 watchers=1 ops=create tmax=6 fix=all without=deadline
}
clean() { # two workers and API calls
  for queue in "" queue; do
    clean_scope sent $queue fails beat tmax=6 crashes=2
    clean_scope sent $queue fails lost beat tmax=5
    for ops in retry run-now pause,resume edit-same edit-other cancel-job; do
      clean_scope sent $queue fails tmax=5 ops=$ops cap=8
    done
    clean_scope sent $queue fails tmax=4 ops=cancel-exec cap=8
    clean_scope sent $queue fails attempts=1 tmax=4 ops=retry,cancel-job cap=8
    clean_scope sent $queue fails attempts=1 tmax=4 ops=cancel-exec,retry cap=8
    clean_scope sent $queue attempts=1 tmax=3 ops=run-now,pause cap=8
    clean_scope sent $queue attempts=1 tmax=3 ops=run-now,cancel-exec cap=8
  done
}
chain() { # create, edit and resume with dispatch and settle; one-time jobs
  clean_scope workers=1 watchers=1 ops=create nops=2 apis=2 tmax=4 cap=8
  clean_scope once workers=2 watchers=0 ops=create nops=2 apis=2 tmax=4 cap=8
  clean_scope once workers=1 watchers=1 ops=create nops=2 apis=2 tmax=4 cap=8
  clean_scope once sent workers=2 fails ops=edit-other,run-now apis=2 tmax=4 cap=8
  clean_scope started workers=0 watchers=2 steal tmax=8 cap=8
  clean_scope started workers=1 watchers=1 tmax=6 cap=8
  for ops in edit-same edit-other pause,resume cancel-exec run-now; do
    clean_scope started workers=1 watchers=1 ops=$ops tmax=5 cap=8
  done
}
more() { # a watcher and a worker with manual runs; two watchers that take the lease from each other
  clean_scope started workers=1 watchers=2 steal tmax=4 cap=10
  clean_scope sent workers=1 watchers=1 lag=2 fails attempts=1 ops=retry tmax=6 cap=10
  clean_scope sent workers=1 watchers=1 lag=2 ops=run-now,pause tmax=5 cap=10
  clean_scope sent workers=1 watchers=1 lag=2 queue ops=cancel-exec tmax=5 cap=10
}
pairs() { # two API calls at the same time: larger than memory, so each search is capped
  for queue in "" queue; do
    for ops in cancel-exec,retry run-now,pause run-now,cancel-exec edit-other,cancel-exec retry,cancel-job; do
      clean_scope sent $queue fails attempts=1 tmax=4 ops=$ops apis=2 cap=4
    done
  done
}
simpler() { # rules that safety does not need in this scope: the result stays clean without them
  clean_scope started workers=0 watchers=1 tmax=8 without=settle-behind-dispatch
  explore clean sent fails attempts=1 ops=retry,cancel-job tmax=4 fix=all,-release cap=8
}

usage() {
  cat <<'TEXT'
usage: npm run model -- <suite>

Searches the states of the protocol. Suites: holes, without, clean, chain, more, pairs, simpler (model/README.md).
The exit code is 1 unless every search ends as expected. A search is stopped after LIMIT_SECONDS (default 300).
TEXT
}

build() {
  mkdir -p target
  if [ ! -x "$BINARY" ] || [ protocol.rs -nt "$BINARY" ]; then rustc -O protocol.rs -o "$BINARY" || exit 1; fi
}

suite=${1:-}
case $suite in
  holes | without | clean | chain | more | pairs | simpler) build && "$suite" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
exit "$failed"
