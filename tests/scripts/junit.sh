#!/bin/bash
# tools/junit.awk tells passed, failed and skipped apart; a test that could not run is failed. Reasons are unescaped.
set -u
testcase() { printf '\t<testcase name="%s" classname="c" time="0" status="%s">\n%s\n\t</testcase>\n' "$1" "$2" "$3"; }
skip() { printf '\t\t<skipped message="%s"/>\n\t\t<system-out>%s</system-out>' "$1" "$2"; }

got=$({
  printf '<testsuite name="x"\n\ttests="7"\n>\n'
  testcase 'good &lt;1&gt;' run $'\t\t<system-out>&lt;testcase name=&quot;fake&quot; status=&quot;run&quot;&gt;</system-out>'
  testcase bad fail $'\t\t<failure message=""/>'
  testcase off disabled ''
  testcase gone notrun "$(skip 'Unable to find executable' x)"
  testcase offline notrun "$(skip SKIP_REGULAR_EXPRESSION_MATCHED $'a.cpp:3: Skipped\nno network &amp; no cache\nmore')"
  testcase silent notrun "$(skip SKIP_RETURN_CODE=77 '')"
  testcase odd unheard ''
} | awk -f tools/junit.awk)
want='passed good <1>
failed bad
skipped off: disabled
failed gone
skipped offline: no network & no cache
skipped silent: no reason given
failed odd'
[ "$got" = "$want" ] && exit 0
diff <(printf '%s\n' "$want") <(printf '%s\n' "$got")
exit 1
