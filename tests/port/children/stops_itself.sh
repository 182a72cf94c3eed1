echo ready
kill -STOP $$
