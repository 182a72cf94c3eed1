trap '' TERM
echo ready
while :; do sleep 0.05; done
