"""Two training loops of one's own on the same examples, Adam on a least-squares line: microbatches of 16 that are
accumulated, k = 2, and batches of 32. Each dumps a trace; then one is judged against the other:
python3 docs/numpy_pair.py accumulated > accumulated.json && python3 docs/numpy_pair.py large_batch > large_batch.json &&
microstep judge accumulated.json --against large_batch.json
The third, large_batch_sum, sums the losses of its batch where the others take their mean."""
import json, sys
import numpy as np
f32 = np.float32
mode = sys.argv[1]
k = 2 if mode == "accumulated" else 1
def w_(x):
    return {"w": {"dtype": str(x.dtype), "shape": list(x.shape), "values": [float(v) for v in x.ravel()]}}
def state(acc, m, v, micro, count):
    adam = {"counts": {"count": count}, "slots": {"mu": w_(m), "nu": w_(v)}}
    if k == 1:
        return adam
    return {"counts": {"mini_step": micro, "gradient_step": count}, "slots": {"acc_grads": w_(acc)}, "of": [adam]}
def gradient(w, x, y):
    total = np.zeros(3, f32)
    for one, target in zip(x, y):
        total = total + ((one[0] * w[0] + one[1] * w[1]) + one[2] * w[2] - target) * one
    return total if mode == "large_batch_sum" else total / f32(len(x))
random = np.random.default_rng(0)
examples, targets = random.normal(size=(96, 3)).astype(f32), random.normal(size=96).astype(f32)
w, zero, count, steps, size = np.array([1, -2, 0.5], f32), np.zeros(3, f32), 0, [], 32 // k
acc, m, v = zero, zero, zero
initial = {"params": w_(w), "state": state(acc, m, v, 0, count)}
for t in range(len(examples) // size):
    g = gradient(w, examples[t * size:(t + 1) * size], targets[t * size:(t + 1) * size])
    micro, update, acc = (t + 1) % k, zero, acc + (g - acc) / f32(t % k + 1)
    if micro == 0:
        count, m, v = count + 1, f32(0.9) * m + f32(0.1) * acc, f32(0.999) * v + f32(0.001) * acc * acc
        update = f32(-0.1) * (m / f32(1 - 0.9**count)) / (np.sqrt(v / f32(1 - 0.999**count)) + f32(1e-8))
        acc = zero
    w = w + update
    steps.append({"gradients": w_(g), "updates": w_(update), "params": w_(w), "state": state(acc, m, v, micro, count),
                  "weight": size})
spec = "multi_steps(adam(0.1), k=2)" if k == 2 else "adam(0.1)"
print(json.dumps({"schema": "microstep/trace/1", "spec": spec, "initial": initial, "steps": steps}))
