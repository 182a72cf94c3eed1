"""Our own port (`python3 faulty.py MICROSTEP FAULT`) that shows the fault in the one plan whose spec is sgd(0.5)."""
import json
import os
import signal
import subprocess
import sys
import time

tool, fault = sys.argv[1:]
port = subprocess.Popen([tool, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def second_w(answer):
    return answer["trace"]["steps"][1]["params"]["w"]


def faulty(line):
    answer = json.loads(line)
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "exit":
        sys.exit(3)
    if fault == "hang":
        time.sleep(600)
    if fault == "seq":
        answer["seq"] += 7
    if fault == "shape":
        second_w(answer).pop()
    if fault == "other-shape":
        answer["trace"]["steps"][1]["params"]["w"] = {"dtype": "float32", "shape": [1], "values": [1]}
    if fault in ("NaN", "null"):
        second_w(answer)[0] = "fault"
    return json.dumps(answer).replace('"fault"', fault) + "\n"


for line in sys.stdin:
    port.stdin.write(line)
    port.stdin.flush()
    answer = port.stdout.readline()
    sys.stdout.write(faulty(answer) if '"spec":"sgd(0.5)"' in line else answer)
    sys.stdout.flush()
