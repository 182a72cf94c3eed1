"""A port for sgd(0.5). The plan of seed 13 is answered with the fault that the first argument names, all others rightly.

`handshake:NAME` and `stop:NAME` are faults at the start and at the end; `always` behind a fault: in every plan.
"""
import json
import os
import re
import signal
import sys
import time

RAW = "@raw@"  # marks what goes into the line without quotes
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
ALWAYS = "always" in sys.argv[2:]


def leaf(values):
    return {"dtype": "float32", "shape": [2, 2], "values": values}


def trace_of(plan):
    w, steps = plan["params"]["w"]["values"], []
    for (batch,) in plan["batches"]:
        gradient = plan["given"][batch]["gradients"]["w"]
        gradient = gradient["values"] if isinstance(gradient, dict) else gradient
        updates = [-0.5 * g for g in gradient]
        w = [a + b for a, b in zip(w, updates)]
        steps.append({"gradients": {"w": leaf(gradient)}, "updates": {"w": leaf(updates)}, "params": {"w": leaf(w)}, "state": {}})
    return {"initial": {"params": plan["params"], "state": {}}, "steps": steps}


def with_number(text):
    def change(answer):
        answer["trace"]["steps"][0]["params"]["w"]["values"][0] = RAW + text
    return change


def in_leaf(**changes):
    return lambda answer: answer["trace"]["steps"][1]["params"]["w"].update(changes)


def with_count(text):
    def change(answer):
        for state in [answer["trace"]["initial"], *answer["trace"]["steps"]]:
            state["state"] = {"counts": {"count": RAW + text}}
    return change


def only(**answered):
    def change(answer):
        del answer["trace"]
        answer.update(answered)
    return change


def killed(answer):
    os.kill(os.getpid(), signal.SIGSEGV)


def left(answer):
    sys.stderr.write("ValueError: the model is gone\n")
    sys.exit(3)


CHANGES = {
    "bare-nan": with_number("NaN"), "null": with_number("null"), "text": with_number('"0.5"'), "huge": with_number("1e999"),
    "not-a-float32": with_number("0.123456789"), "count-of-2^64": with_count("18446744073709551616"),
    "three-numbers": in_leaf(values=[1, 2, 3]), "unknown-dtype": in_leaf(dtype="float31"), "negative-shape": in_leaf(shape=[-2, -2]),
    "endless-shape": in_leaf(shape=[4294967296, 4294967296], values=[]),
    "other-shape": in_leaf(shape=[3], values=[1, 2, 3]), "other-dtype": in_leaf(dtype="float64"),
    "wrong-seq": lambda answer: answer.update(seq=answer["seq"] + 7), "no-seq": lambda answer: answer.pop("seq"),
    "text-seq": lambda answer: answer.update(seq=str(answer["seq"])),
    "missing-step": lambda answer: answer["trace"]["steps"].pop(),
    "one-step-more": lambda answer: answer["trace"]["steps"].append(answer["trace"]["steps"][0]),
    "no-steps": lambda answer: answer["trace"].pop("steps"), "no-initial": lambda answer: answer["trace"].pop("initial"),
    "nothing": only(), "both": lambda answer: answer.update(skipped={"reason": "and a trace"}),
    "skipped": only(skipped={"reason": "no float16"}), "errored": only(errored={"message": "ValueError: no sgd today"}),
    "extra": lambda answer: answer.update(mood="good", weather=None), "crash": killed, "exit": left,
    "hang": lambda answer: time.sleep(600), "closed": lambda answer: os.close(1) or time.sleep(600),
}
WRITES = {
    "truncated": lambda text: text[: len(text) // 2] + "\n", "two-answers": lambda text: text + "\n" + text + "\n",
    "duplicate-key": lambda text: text.replace("{", '{"seq":0,', 1) + "\n", "empty-line": lambda text: "\n",
    "list": lambda text: "[" + text + "]\n", "crlf": lambda text: text + "\r\n", "nul": lambda text: text + "\0\n",
    "late-line": lambda text: text + "\nI am done\n", "half": lambda text: text[:50],
}
HANDSHAKES = {
    "no-specs": lambda facts: facts.pop("specs"), "no-version": lambda facts: facts.pop("version"),
    "version-2": lambda facts: (facts.clear(), facts.update(version=2, greeting="hello")), "number-as-name": lambda facts: facts.update(name=1),
    "unknown-dtype": lambda facts: facts.update(dtypes=["int8"]), "extra": lambda facts: facts.update(graphs=True),
    "wrong-seq": lambda facts: facts.update(seq=9), "silence": lambda facts: time.sleep(600), "exit": left, "crash": killed,
    "no-sgd": lambda facts: facts.update(specs=["adam"]), "no-replay": lambda facts: facts.update(problems=["mlp"]),
    "no-float32": lambda facts: facts.update(dtypes=["float64"]), "nothing": lambda facts: None,
}


def write(answer, ending=None):
    text = re.sub('"' + RAW + r'((?:[^"\\]|\\.)*)"', lambda found: json.loads('"' + found[1] + '"'), json.dumps(answer))
    sys.stdout.write(ending(text) if ending else text + "\n")
    sys.stdout.flush()


def start(request):
    facts = {"seq": request["seq"], "version": 1, "name": "sgd", "specs": ["sgd"], "dtypes": ["float32"]}
    if FAULT == "handshake:not-json":
        return print("loading the model ...", flush=True)
    if FAULT.startswith("handshake:"):
        HANDSHAKES[FAULT.split(":")[1]](facts)
    write(facts)


def run(request):
    answer = {"seq": request["seq"], "trace": trace_of(request["plan"])}
    faulty = ALWAYS or request["plan"]["seed"] == "13"
    if faulty and FAULT in CHANGES:
        CHANGES[FAULT](answer)
    write(answer, WRITES.get(FAULT) if faulty else None)
    if faulty and FAULT == "half":
        sys.exit(0)


def stop(request):
    if FAULT == "stop:exit-1":
        sys.exit(1)
    if FAULT == "stop:ignores":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    sys.exit(0)


for line in sys.stdin:
    asked = json.loads(line)
    {"start": start, "run": run, "stop": stop}[asked["request"]](asked)
