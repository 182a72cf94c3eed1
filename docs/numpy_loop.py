"""A training loop of one's own that dumps a trace: Adam on the mean of k = 2 gradients. Run it, then judge its output:
python3 docs/numpy_loop.py > loop.json && microstep judge loop.json"""
import json
import numpy as np
f32 = np.float32
def w_(x):
    return {"w": {"dtype": str(x.dtype), "shape": list(x.shape), "values": [float(v) for v in x.ravel()]}}
def state(acc, m, v, micro, count):
    adam = {"counts": {"count": count}, "slots": {"mu": w_(m), "nu": w_(v)}}
    return {"counts": {"mini_step": micro, "gradient_step": count}, "slots": {"acc_grads": w_(acc)}, "of": [adam]}
w, k = np.array([1, -2, 0.5], f32), 2
acc, m, v, count, steps = np.zeros(3, f32), np.zeros(3, f32), np.zeros(3, f32), 0, []
initial = {"params": w_(w), "state": state(acc, m, v, 0, count)}
for t, g in enumerate(np.random.default_rng(0).normal(size=(6, 3)).astype(f32)):
    micro, update, acc = (t + 1) % k, np.zeros(3, f32), acc + (g - acc) / f32(t % k + 1)
    if micro == 0:
        count, m, v = count + 1, f32(0.9) * m + f32(0.1) * acc, f32(0.999) * v + f32(0.001) * acc * acc
        update = f32(-0.1) * (m / f32(1 - 0.9**count)) / (np.sqrt(v / f32(1 - 0.999**count)) + f32(1e-8))
        acc = np.zeros(3, f32)
    w = w + update
    steps.append({"gradients": w_(g), "updates": w_(update), "params": w_(w), "state": state(acc, m, v, micro, count)})
print(json.dumps({"schema": "microstep/trace/1", "spec": "multi_steps(adam(0.1), k=2)", "initial": initial, "steps": steps}))
