"""A well-behaved child: every line comes back; arguments first, each on its line, when there are any."""
import sys

for argument in sys.argv[1:]:
    print(argument, flush=True)
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
