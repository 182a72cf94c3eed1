"""A port that forwards `linear` and nothing else. Its kernels name its process; the variable SHIFT is added to outputs."""
import json, os, struct, sys


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def linear(asked):
    weights, biases = asked["params"]["w"], asked["params"]["b"]["values"]
    features, outputs = weights["shape"]
    rows = asked["inputs"]["values"]
    shift = float(os.environ.get("SHIFT", "0")) + float(asked["switches"].get("shift", "0"))
    values = []
    for at in range(0, len(rows), features):
        for j in range(outputs):
            total = sum(rows[at + i] * weights["values"][i * outputs + j] for i in range(features))
            values.append(float32(float32(total) + biases[j] + shift))
    shape = [asked["inputs"]["shape"][0], outputs]
    return {"outputs": {"dtype": "float32", "shape": shape, "values": values}, "kernels": {"process": str(os.getpid())}}


for line in sys.stdin:
    asked = json.loads(line)
    if asked["request"] == "start":
        answer = {"version": 1, "name": "child", "specs": [], "dtypes": ["float32"]}
        if "none" not in sys.argv:
            answer |= {"models": ["linear"], "switches": {"shift": "0, 0.5"}}
    elif asked["request"] == "stop":
        break
    elif "short" in sys.argv:
        answer = {"outputs": {"dtype": "float32", "shape": [1], "values": [0]}}
    elif "nan" in sys.argv:
        answer = linear(asked)
        answer["outputs"]["values"][0] = "NaN"
    else:
        answer = linear(asked)
    print(json.dumps({"seq": asked["seq"]} | answer), flush=True)
