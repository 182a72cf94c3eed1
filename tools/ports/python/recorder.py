"""Records an Optax or a PyTorch loop as a trace for `microstep judge`: a JSON file, and its numbers in a safetensors file
beside it (docs/trace.md). One page with an example of each: docs/recorder.md. Copy this file; it needs NumPy only."""
import ast, contextlib, json, os, pathlib, shutil, tempfile
import numpy as np

STORED = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16"}
TORCH_SLOTS = {"exp_avg": "mu", "exp_avg_sq": "nu", "momentum_buffer": "trace"}

def leaves(tree, name=""):
    """Nested dicts, lists and tuples as {"layer/w": array}; None is no leaf, one array alone is called w."""
    if isinstance(tree, (dict, list, tuple)):
        items = tree.items() if isinstance(tree, dict) else enumerate(tree)
        return {path: leaf for key, part in items for path, leaf in leaves(part, f"{name}/{key}" if name else str(key)).items()}
    return {} if tree is None else {name or "w": tree}

def parsed(node):
    """An expression of the optimizer language, which reads as Python: its operation and those in it."""
    if isinstance(node, ast.Name):
        return node.id, []
    inner = node.args + [word.value for word in node.keywords if word.arg == "inner"]
    return node.func.id, [parsed(arg) for arg in inner if isinstance(arg, (ast.Call, ast.Name))]

def of_optax(spec, state):
    """Optax's state as the tree of the spec: Optax's names stay, the parts of adam or sgd become one."""
    op, inner = spec
    node, states = {"counts": {}, "slots": {}}, list(state) if op == "chain" else []
    if op != "chain":
        collect(state, node, states)
    return node | {"of": [of_optax(*pair) for pair in zip(inner, states)]}

def collect(state, node, inner):
    for name, value in state._asdict().items() if hasattr(state, "_asdict") else enumerate(state):
        if name in ("inner_state", "inner_opt_state"):
            inner.append(value)
        elif isinstance(name, int):
            collect(value, node, inner)
        elif getattr(value, "shape", None) == () and np.issubdtype(value.dtype, np.integer):
            node["counts"]["schedule_count" if name in node["counts"] else name] = int(value)
        elif name != "skip_state":
            node["slots"][name] = value

def of_torch(spec, model, optimizer):
    """The state of torch.optim's Adam, AdamW or SGD; what accumulates, .grad, is left out and so is hidden."""
    op, inner = spec
    if inner:
        return {"of": [of_torch(inner[0], model, optimizer)]}
    named, adam = dict(model.named_parameters()), op in ("adam", "adamw")
    slots = ["exp_avg", "exp_avg_sq"] if adam else ["momentum_buffer"] if optimizer.defaults["momentum"] else []
    value = lambda p, slot: p.new_zeros(p.shape) if optimizer.state[p].get(slot) is None else optimizer.state[p][slot]
    counts = {"count": max(int(optimizer.state[p].get("step", 0)) for p in named.values())} if adam else {}
    return {"counts": counts, "slots": {TORCH_SLOTS[s]: {name: value(p, s) for name, p in named.items()} for s in slots}}

class Recorder(contextlib.AbstractContextManager):
    """facts: what docs/trace.md lists besides, such as hyper_precision="float64" or running_mean=True."""
    def __init__(self, path, spec, **facts):
        self.path, self.stored = path, os.path.splitext(path)[0] + ".safetensors"
        self.spec, self.header = parsed(ast.parse(spec, mode="eval").body), {}
        self.trace = {"schema": "microstep/trace/1", "spec": spec, **facts, "tensors": os.path.basename(self.stored), "steps": []}
        self.data = tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(path)))

    def start(self, params, state):
        self.trace["initial"] = self.row("initial", {"params": params}, of_optax(self.spec, state))
    def step(self, gradients, updates, params, state):
        self.add({"gradients": gradients, "updates": updates, "params": params}, of_optax(self.spec, state))
    def start_torch(self, model, optimizer):
        self.model, self.optimizer, self.gradients = model, optimizer, {}
        for name, p in model.named_parameters():  # what one backward pass gives, before it is added to .grad
            p.register_hook(lambda g, name=name: self.gradients.__setitem__(name, self.gradients.get(name, 0) + g.clone()))
        self.trace["initial"] = self.row("initial", {"params": dict(model.named_parameters())}, of_torch(self.spec, model, optimizer))
    def step_torch(self, times=1):
        """times: k where the loss was divided by k before the backward pass."""
        gradients = {name: g * times for name, g in self.gradients.items()}
        params, self.gradients = dict(self.model.named_parameters()), {}
        self.add({"gradients": gradients, "params": params}, of_torch(self.spec, self.model, self.optimizer))
    def add(self, sections, state):
        self.trace["steps"].append({"gradients": {}} | self.row(f"steps/{len(self.trace['steps'])}", sections, state))
    def row(self, at, sections, state):
        for section, tree in sections.items():
            self.put(f"{at}/{section}", tree)
        return {"state": self.state(f"{at}/state", state)}
    def state(self, at, node):
        for slot, tree in node.get("slots", {}).items():
            self.put(f"{at}/{slot}", tree)
        return {"counts": node.get("counts", {}), "of": [self.state(f"{at}/of[{i}]", n) for i, n in enumerate(node.get("of", []))]}
    def put(self, at, tree):
        for name, x in leaves(tree).items():
            begin, dtype = self.data.tell(), str(x.dtype).split(".")[-1]
            if hasattr(x, "detach"):  # of PyTorch; NumPy has no bfloat16 of its own
                x = x.detach().cpu().contiguous()
                x = (x.view(__import__("torch").int16) if dtype == "bfloat16" else x).numpy()
            self.data.write(np.ascontiguousarray(x).tobytes())
            self.header[f"{at}/{name}"] = {"dtype": STORED[dtype], "shape": list(x.shape), "data_offsets": [begin, self.data.tell()]}
    def __exit__(self, *_):
        header = json.dumps(self.header).encode()
        header += b" " * (-len(header) % 8)
        with open(self.stored, "wb") as out:
            out.write(len(header).to_bytes(8, "little") + header)
            self.data.seek(0)
            shutil.copyfileobj(self.data, out)
        pathlib.Path(self.path).write_text(json.dumps(self.trace))
