"""Optax as a port: JSON lines as docs/protocol.md has them. Run it with the Python of an Optax environment."""
import ast, base64, fnmatch, functools, inspect, json, math, pickle, platform, sys, traceback

import jax, jax.numpy as jnp, jax_forward, numpy as np, optax

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
class Skipped(Exception): """What this library cannot do, or what cannot be asked of it."""
# The optimizer language reads as Python; a name or call becomes (name, positional values, named values).
def parse(node):
    if isinstance(node, ast.Call):
        return node.func.id, [parse(a) for a in node.args], {k.arg: parse(k.value) for k in node.keywords}
    if isinstance(node, ast.Name):
        return {"true": True, "false": False}.get(node.id, (node.id, [], {}))
    return [parse(item) for item in node.elts] if isinstance(node, ast.List) else ast.literal_eval(node)

def scheduled(value, dtype=float):
    """A number stays one; [[from_step, value], ...] becomes a function of the count."""
    if not isinstance(value, list):
        return value
    starts, values = jnp.asarray([row[0] for row in value]), jnp.asarray([row[1] for row in value], dtype)
    return lambda count: values[jnp.searchsorted(starts, count, side="right") - 1]

def selected(globs):
    """The mask of the leaves whose names match; None, which is no mask, when there are no globs."""
    patterns = [(glob if isinstance(glob, str) else glob[0]).replace("[", "[[]") for glob in globs]
    return (lambda tree: {name: any(fnmatch.fnmatchcase(name, p) for p in patterns) for name in tree}) if globs else None

def multi_steps(inner, k, reduce=("mean",), skip=("never",), partial=("hold",), acc_dtype=("same",)):
    large = functools.partial(optax.skip_large_updates, max_squared_norm=skip[1][0] ** 2) if len(skip) > 1 and skip[1] else None
    skips = {"never": None, "not_finite": optax.skip_not_finite, "large": large}
    if reduce[0] not in ("mean", "sum") or skip[0] not in skips or partial[0] != "hold":
        raise Skipped(f"Optax has no reduce={reduce[0]}, skip={skip[0]}, partial={partial[0]}")
    if acc_dtype[0] != "same" and "accumulator_dtype" not in inspect.signature(optax.MultiSteps).parameters:
        raise Skipped(f"Optax {optax.__version__} has no dtype of the accumulator")
    options = {} if acc_dtype[0] == "same" else {"accumulator_dtype": acc_dtype[0]}  # same: the library's own default
    steps = scheduled(k, jnp.int32) if isinstance(k, list) else int(k)
    return optax.MultiSteps(inner, steps, reduce[0] == "mean", skips[skip[0]], **options).gradient_transformation()

OPS = {
    "sgd": lambda lr, momentum=0, nesterov=False: optax.sgd(scheduled(lr), momentum or None, nesterov),
    "adam": lambda lr, **rest: optax.adam(scheduled(lr), **rest),
    "adamw": lambda lr, mask=(), **rest: optax.adamw(scheduled(lr), mask=selected(mask), **rest),
    "trace": lambda momentum, nesterov=False: optax.trace(momentum, nesterov),
    "scale": lambda factor: optax.scale(factor),
    "scale_by_schedule": lambda schedule: optax.scale_by_schedule(
        scheduled(schedule if isinstance(schedule, list) else [[0, schedule]])),
    "add_decayed_weights": lambda weight_decay, mask=(): optax.add_decayed_weights(weight_decay, selected(mask)),
    "masked": lambda inner, mask: optax.masked(inner, selected(mask or ["*"])),
    "apply_every": lambda k=1: optax.apply_every(int(k)),
    "multi_steps": multi_steps, "chain": optax.chain, "scale_by_adam": optax.scale_by_adam, "ema": optax.ema,
    "clip": optax.clip, "clip_by_global_norm": optax.clip_by_global_norm,
}

def build(spec):
    op, values, named = spec
    if op not in OPS:
        raise Skipped(f"there is no {op} here")
    return OPS[op](*[build(v) if isinstance(v, tuple) else v for v in values],
                   **{name: build(v) if name == "inner" else v for name, v in named.items()})

def describe(spec, state):
    """Optax's state as the tree of the spec: counts, slots and inner states under Optax's own names."""
    op, values, named = spec
    node, inner = {"op": op, "counts": {}, "slots": {}}, [v for v in [*values, named.get("inner")] if isinstance(v, tuple)]
    if op != "chain":
        collect(state, node)
    states = state if op == "chain" else [value for name, value in fields(state) if name in ("inner_state", "inner_opt_state")]
    return node | {"of": [describe(*pair) for pair in zip(inner, states)]}

def fields(state):
    return (state._asdict() if hasattr(state, "_asdict") else dict(enumerate(state))).items()
def collect(state, node):
    for name, value in fields(state):
        if isinstance(value, dict) and name != "skip_state":
            node["slots"][name] = written(value)
        elif isinstance(value, tuple) and name not in ("inner_state", "inner_opt_state"):
            collect(value, node)
        elif hasattr(value, "dtype"):
            node["counts"]["schedule_count" if name in node["counts"] else name] = int(value)

def written(tree):
    return {name: {"dtype": str(leaf.dtype), "shape": list(leaf.shape),
                   "values": [decimal(x) for x in np.asarray(leaf).astype(np.float64).ravel().tolist()]}
            for name, leaf in tree.items() if hasattr(leaf, "dtype")}
def decimal(x):  # neither NaN nor the infinities are JSON
    return x if math.isfinite(x) else "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"
def numbers(values):
    return [x for v in values for x in numbers(v)] if isinstance(values, list) else [SPECIAL.get(values, values)]
def read(value, dtype, shape):
    if isinstance(value, dict) and "base64" in value:
        return np.frombuffer(base64.b64decode(value["base64"]), jnp.dtype(dtype)).reshape(shape)
    values = numbers(value["values"] if isinstance(value, dict) else value)
    return np.array(values, float).astype(jnp.dtype(dtype)).reshape(shape)

def gradient_of(plan, batch, name, dtype, shape):
    """The gradient of one leaf over a batch as docs/protocol.md defines it, None where every example leaves it out."""
    rows, mean = [plan["given"][i] for i in batch], plan.get("loss", "mean") == "mean"
    parts = [(r.get("weight", 1), read(r["gradients"][name], dtype, shape)) for r in rows if name in r["gradients"]]
    if not parts or (mean and len(rows) == 1):
        return jnp.asarray(parts[0][1]) if parts else None
    total = sum(w * g.astype(np.float64) for w, g in parts) / (sum(r.get("weight", 1) for r in rows) if mean else 1)
    return jnp.asarray(total.astype(jnp.dtype(dtype)))

def run(plan):
    if plan.get("problem", "replay") != "replay":
        raise Skipped("only replay: the gradients are given")
    spec, leaves = parse(ast.parse(plan["spec"], mode="eval").body), plan["params"]
    dtypes = {name: leaf["dtype"] for name, leaf in leaves.items()} | plan.get("gradient_dtypes", {})
    jax.config.update("jax_enable_x64", "float64" in str([plan["spec"], dtypes, [leaf["dtype"] for leaf in leaves.values()]]))
    params = {name: jnp.asarray(read(leaf, leaf["dtype"], leaf["shape"])) for name, leaf in leaves.items()}
    apply, optimizer, steps = jax.jit(optax.apply_updates), build(spec), []
    update, state = jax.jit(optimizer.update), optimizer.init(params)
    initial = {"params": written(params), "state": describe(spec, state)}
    for number, batch in enumerate(plan["batches"], 1):
        gradients = {name: gradient_of(plan, batch, name, dtypes[name], leaves[name]["shape"]) for name in leaves}
        try:
            updates, state = update(gradients, state, params)
        except Exception as error:
            if None not in gradients.values():
                raise
            raise Skipped(f"Optax takes no absent gradient here: {type(error).__name__}") from error
        present = {name: u for name, u in updates.items() if u is not None}
        params = params | apply({name: params[name] for name in present}, present)
        steps.append({"gradients": written(gradients), "updates": written(updates), "params": written(params),
                      "state": describe(spec, state)})
        if number in plan.get("interruptions", []):
            state, update = pickle.loads(pickle.dumps(jax.device_get(state))), jax.jit(build(spec).update)
    return {"trace": {"schema": "microstep/trace/1", "initial": initial, "steps": steps}}

def start(asked):
    if asked["version"] != 1:
        return {"errored": {"id": "port.version-mismatch", "message": f"tool {asked['version']}, port 1"}}
    flushes = float(jax.jit(lambda x: x * np.float32(0.5))(np.float32(1.2e-38))) == 0
    runtime = {"jaxlib": jax.lib.__version__, "python": platform.python_version()}
    return {"version": 1, "name": "optax", "runtime": runtime | {m.__name__: m.__version__ for m in (optax, jax, np)},
            "specs": list(OPS), "hyper_precision": "float32", "flushes_subnormals": flushes, "running_mean": True} | jax_forward.FACTS

if __name__ == "__main__":
    requests = {"start": start, "run": lambda asked: run(asked["plan"]), "stop": lambda _: sys.exit(),
                "forward": functools.partial(jax_forward.forward, read=read)}
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = requests[asked["request"]](asked)
        except Skipped as skipped:
            answer = {"skipped": {"reason": str(skipped)}}
        except Exception as error:
            traceback.print_exc()
            answer = {"errored": {"message": f"{type(error).__name__}: {error}"}}
        print(json.dumps({"seq": asked["seq"]} | answer, allow_nan=False), flush=True)
