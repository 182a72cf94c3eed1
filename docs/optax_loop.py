"""An Optax loop that records itself. Run it in a folder of its own, then judge what it wrote:
PYTHONPATH=tools/ports/python python3 docs/optax_loop.py && microstep judge run.json"""
import jax, jax.numpy as jnp, optax
from recorder import Recorder

def loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["hidden"]["w"] + params["hidden"]["b"]) @ params["out"] - y) ** 2)

keys = jax.random.split(jax.random.PRNGKey(0), 4)
params = {"hidden": {"w": jax.random.normal(keys[0], (3, 5)), "b": jnp.zeros(5)}, "out": jax.random.normal(keys[1], (5,))}
x, y = jax.random.normal(keys[2], (6, 8, 3)), jax.random.normal(keys[3], (6, 8))
optimizer = optax.MultiSteps(optax.adam(0.1), every_k_schedule=2)
state, gradient, update = optimizer.init(params), jax.jit(jax.grad(loss)), jax.jit(optimizer.update)
apply_updates = jax.jit(optax.apply_updates)

with Recorder("run.json", spec="multi_steps(adam(0.1), k=2)", hyper_precision="float32") as r:
    r.start(params, state)
    for i in range(6):
        gradients = gradient(params, x[i], y[i])
        updates, state = update(gradients, state, params)
        params = apply_updates(params, updates)
        r.step(gradients, updates, params, state)
