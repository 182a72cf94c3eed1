exec 1>&-
exec sleep 30
