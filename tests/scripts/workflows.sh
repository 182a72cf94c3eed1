#!/bin/bash
# The presets that CONTRIBUTING names are workflows, and each one configures, builds and tests under its own name.
set -u
problems=0
listed=$(cmake --list-presets=workflow | sed -n 's/^ *"\([^"]*\)".*/\1/p' | sort | paste -sd ' ')
[ "$listed" = 'asan dev release tidy' ] || { echo "workflows are '$listed'"; problems=1; }
for preset in $listed; do
  grep -qF "\`cmake --workflow --preset $preset\`" CONTRIBUTING.md || { echo "CONTRIBUTING does not name $preset"; problems=1; }
done
steps=$(python3 -c 'import json
for workflow in json.load(open("CMakePresets.json"))["workflowPresets"]:
    print(workflow["name"], *(step["type"] + "=" + step["name"] for step in workflow["steps"]))' | sort)
want=$(for preset in $listed; do echo "$preset configure=$preset build=$preset test=$preset"; done)
[ "$steps" = "$want" ] || { diff <(echo "$want") <(echo "$steps"); problems=1; }
exit $problems
