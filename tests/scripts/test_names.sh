#!/bin/bash
# Names of tests are the same in every build: no bytes or addresses of a parameter stand in them, and none stands twice.
set -u
names=$(ctest --test-dir build/release -N | sed -n 's/^ *Test *#[0-9]*: //p')
[ -n "$names" ] || { echo "CTest lists no test in build/release"; exit 1; }
odd=$(grep -E -e '-byte object|0x[0-9a-f]{6}|pointing to' <<<"$names")
twice=$(sort <<<"$names" | uniq -d)
[ -z "$odd$twice" ] && exit 0
printf 'bytes or addresses in names:\n%s\ntwice:\n%s\n' "$odd" "$twice"
exit 1
