"""The models of docs/language.md in JAX, for the request `forward` (docs/protocol.md). No port of its own."""
import base64, functools, re

import jax, jax.numpy as jnp, numpy as np

SWITCHES = {"batching": ["plain", "vmap"], "jit": ["on", "off"], "precision": ["default", "high", "highest"]}
ACTS = {"none": lambda x: x, "tanh": jnp.tanh, "relu": lambda x: jnp.maximum(x, 0)}


def linear(x, w, b, act="none"):
    return ACTS[act](x @ w + b)


def conv2d(x, k, b, act="none"):
    padding = (k.shape[-1] - 1) // 2
    return ACTS[act](jax.lax.conv_general_dilated(x, k, (1, 1), [(padding, padding)] * 2) + b[:, None, None])


def mean_pool(x):
    return x.mean(axis=(2, 3))


def mlp(x, leaves, act="tanh"):
    layers = list(zip(leaves[::2], leaves[1::2]))
    for w, b in layers[:-1]:
        x = linear(x, w, b, act)
    return linear(x, *layers[-1])


def tiny_conv_net(x, k0, b0, k1, b1, w, b):
    return linear(mean_pool(conv2d(conv2d(x, k0, b0, "relu"), k1, b1, "relu")), w, b)


MODELS = {
    "linear": lambda x, leaves, act="none": linear(x, *leaves, act),
    "linear_regression": lambda x, leaves, act=None: linear(x, *leaves),
    "logistic_regression": lambda x, leaves, act=None: linear(x, *leaves),
    "conv2d": lambda x, leaves, act="none": conv2d(x, *leaves, act),
    "mean_pool": lambda x, leaves, act=None: mean_pool(x),
    "mlp": mlp,
    "tiny_conv_net": lambda x, leaves, act=None: tiny_conv_net(x, *leaves),
}

FACTS = {"dtypes": ["float64", "float32", "bfloat16", "float16"], "models": list(MODELS)}
FACTS |= {"switches": {name: ", ".join(values) for name, values in SWITCHES.items()}}


def batched(model, batching, compiled):
    """The model over all rows at once, or by `vmap` of one row."""
    if batching == "plain":
        return compiled(model)
    return compiled(jax.vmap(lambda row, leaves: model(row[None], leaves)[0], in_axes=(0, None)))


def written(array):
    plain = np.ascontiguousarray(array)
    return {"dtype": str(plain.dtype), "shape": list(plain.shape), "base64": base64.b64encode(plain.tobytes()).decode()}


def forward(asked, read):
    """read: of one leaf, as the port has it."""
    op = asked["model"].partition("(")[0]
    chosen = {name: values[0] for name, values in SWITCHES.items()} | asked.get("switches", {})
    for name, value in chosen.items():
        if value not in SWITCHES.get(name, []):
            return {"errored": {"id": "port.unknown-switch", "message": f"{name}={value}; known are {SWITCHES}"}}
    inputs = asked["inputs"]
    jax.config.update("jax_enable_x64", inputs["dtype"] == "float64")
    leaves = [jnp.asarray(read(leaf, leaf["dtype"], leaf["shape"])) for leaf in asked["params"].values()]
    act = dict(re.findall(r"(act)=(\w+)", asked["model"]))
    model = batched(functools.partial(MODELS[op], **act), chosen["batching"], jax.jit if chosen["jit"] == "on" else lambda f: f)
    with jax.default_matmul_precision(chosen["precision"]):
        return {"outputs": written(model(jnp.asarray(read(inputs, inputs["dtype"], inputs["shape"])), leaves))}
