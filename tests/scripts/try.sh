#!/bin/bash
# tools/try from a tree that it has not built yet: exit 0, both verdicts of the demo, in at most 5 minutes.
set -u
cd "$(dirname "$0")/../.." || exit 1
rm -rf build/try
begin=$SECONDS
output=$(tools/try 2>&1)
code=$?
took=$((SECONDS - begin))
problems=0
complain() { echo "$1"; problems=1; }
[ "$code" = 0 ] || complain "exit $code where 0 was due: $(tail -n 20 <<<"$output")"
[ "$(grep -c '^DIFFERENT: ' <<<"$output")" = 1 ] || complain "the demo does not show one run that differs"
[ "$(grep -c '^SAME: ' <<<"$output")" = 1 ] || complain "the demo does not show one run that is the same"
[ "$took" -le 300 ] || complain "$took s where 300 s were allowed"
exit $problems
