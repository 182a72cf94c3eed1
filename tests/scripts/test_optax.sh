#!/bin/bash
# tools/test where tools/optax_env fails: a failed test on CI (CI=true), elsewhere a printed skip; where it works, each Python
# goes to the tests. The tool itself runs, in a folder of its own with stand-ins for all that it calls.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{tools,bin,build/release}
cp tools/test tools/junit.awk "$folder/tools/"
problems=0
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$folder/$1" && chmod +x "$folder/$1"; }
expect() { case "$1" in *"$2"*) ;; *) printf "no '%s' in:\n%s\n" "$2" "$1"; problems=1 ;; esac; }
# run VALUE_OF_CI CODE TOTALS: what it says goes to $output, whose last line begins with the totals.
run() {
  output=$(env -u MICROSTEP_OPTAX_0_2_6 -u MICROSTEP_OPTAX_0_2_8 CI="$1" PATH="$folder/bin:$PATH" "$folder/tools/test" 2>&1)
  local code=$?
  [ $code = "$2" ] || { printf "exit %d where %d was due with CI='%s':\n%s\n" $code "$2" "$1" "$output"; problems=1; }
  case "$(tail -n 1 <<<"$output"), " in "$3, "*) ;; *) printf "the totals are not '%s' with CI='%s':\n%s\n" "$3" "$1" "$output"; problems=1 ;; esac
}

stand_in tools/install_packages 'exit 0'
stand_in bin/cmake 'exit 0'
stand_in bin/ctest 'printf "\t<testcase name=\"one\" classname=\"c\" time=\"0\" status=\"run\">\n\t</testcase>\n" >tests.xml
echo "Python of 0.2.8: ${MICROSTEP_OPTAX_0_2_8:-none}"'

stand_in tools/optax_env 'echo "optax_env: no network" >&2; echo "optax_env: next: get one" >&2; exit 1'
run true 1 '1 passed, 1 failed'
expect "$output" 'failed: tools/optax_env'
expect "$output" 'optax_env: no network'
for ci in '' false; do
  run "$ci" 0 '1 passed, 0 failed'
  expect "$output" '1 skipped'
  expect "$output" 'skipped: tools/optax_env, and with it the tests on live Optax: optax_env: no network'
  expect "$output" 'Python of 0.2.8: none'
done

stand_in tools/optax_env 'echo "optax-0.2.8 tools/python"'
for ci in true ''; do
  run "$ci" 0 '2 passed, 0 failed'
  expect "$output" "Python of 0.2.8: $(realpath "$folder")/tools/python"
done
exit $problems
