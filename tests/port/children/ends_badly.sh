# Right answers until the end of stdin, then an exit code of 1.
while read -r line; do echo "$line"; done
exit 1
