"""Never stops complaining, and answers all the same."""
import sys
import threading


def complain():
    number = 0
    while True:
        sys.stderr.write(f"warning {number}\n")
        number += 1


threading.Thread(target=complain, daemon=True).start()
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
