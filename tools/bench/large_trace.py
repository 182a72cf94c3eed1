"""Writes the trace of an Adam loop, to see how long judging it takes (docs/speed.md):
PYTHONPATH=tools/ports/python python3 tools/bench/large_trace.py PARAMS STEPS FOLDER && microstep judge FOLDER/run.json"""
import collections, sys

import numpy as np
from recorder import Recorder

f32, Adam = np.float32, collections.namedtuple("Adam", "count mu nu")
size, steps, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
random, (rows, columns) = np.random.default_rng(0), (size // 1000, 900)  # nine tenths in a matrix, one tenth in a vector
w = {"matrix": random.standard_normal((rows, columns), f32), "vector": random.standard_normal(size - rows * columns, f32)}
m, v = ({name: np.zeros_like(x) for name, x in w.items()} for _ in range(2))

with Recorder(f"{folder}/run.json", spec="adam(0.001)", hyper_precision="float64") as r:
    r.start(w, Adam(np.int32(0), m, v))
    for t in range(1, steps + 1):
        g = {name: random.standard_normal(x.shape, f32) for name, x in w.items()}
        m = {name: f32(0.9) * m[name] + f32(0.1) * g[name] for name in w}
        v = {name: f32(0.999) * v[name] + f32(0.001) * g[name] * g[name] for name in w}
        u = {name: f32(-0.001) * (m[name] / f32(1 - 0.9**t)) / (np.sqrt(v[name] / f32(1 - 0.999**t)) + f32(1e-8)) for name in w}
        w = {name: w[name] + u[name] for name in w}
        r.step(g, u, w, Adam(np.int32(t), m, v))
