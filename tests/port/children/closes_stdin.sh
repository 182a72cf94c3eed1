exec 0<&-
echo deaf
exec sleep 30
