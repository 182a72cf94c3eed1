# A grandchild inherits the pipes and outlives its parent, which answers and leaves.
sleep 30 &
echo answer
exit 0
