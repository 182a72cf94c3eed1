#!/bin/bash
# tools/install_packages without apt-get names what is missing and stops; a user without sudo is told what to install; sudo is used.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for tool in bash awk dirname id; do ln -s "$(command -v $tool)" "$folder/$tool"; done
problems=0
expect() { case "$1" in *"$2"*) ;; *) echo "no '$2' in: $1"; problems=1 ;; esac; }

output=$(PATH="$folder" tools/install_packages build test 2>&1) && { echo "exit 0 without a compiler"; problems=1; }
expect "$output" "This is no Debian"
expect "$output" "cmake (Debian package cmake)"
expect "$output" "python3 (Debian package python3)"
output=$(PATH="$folder" tools/install_packages build 2>&1)
case "$output" in *python3*) echo "building alone does not need python3"; problems=1 ;; esac

printf '#!/bin/sh\nexit 1\n' >"$folder/dpkg-query"
printf '#!/bin/sh\necho 1000\n' >"$folder/plain-id"
cp "$folder/dpkg-query" "$folder/apt-get"
rm "$folder/id" && mv "$folder/plain-id" "$folder/id"
chmod +x "$folder"/{dpkg-query,apt-get,id}
output=$(PATH="$folder" tools/install_packages build 2>&1) && { echo "exit 0 without a right to install"; problems=1; }
expect "$output" "neither root nor sudo"
expect "$output" "apt-get install g++ cmake"

printf '#!/bin/sh\necho "sudo $*"\n' >"$folder/sudo"
chmod +x "$folder/sudo"
output=$(PATH="$folder" tools/install_packages build 2>&1) || { echo "sudo was there, exit $?"; problems=1; }
expect "$output" "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends g++ cmake"

printf '#!/bin/sh\nexit 1\n' >"$folder/sudo"
output=$(PATH="$folder" tools/install_packages build 2>&1) && { echo "exit 0 though nothing was installed"; problems=1; }
expect "$output" "could not install all of: g++ cmake"
exit $problems
