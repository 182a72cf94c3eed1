exec sleep 30
