"""Prints what the installed Optax does where docs/optax.md states a fact. Run it with the Python of an Optax environment."""
import fractions
import functools
import itertools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

COUNT = 20000
RANDOM = np.random.default_rng(1)


def say(fact, value):
    print(f"{fact}: {value}")


def show(tree):
    """Leaves as dtype and values, −0 kept."""
    return " ".join(f"{leaf.dtype}{np.asarray(leaf).astype(np.float64).tolist()}" for leaf in jax.tree.leaves(tree))


def steps(transformation, gradients, dtype=jnp.float32, jit=True):
    """(updates, state) after each gradient, from params 1; arrays of shape [1]."""
    params = jnp.ones([1], dtype)
    state, update = transformation.init(params), jax.jit(transformation.update) if jit else transformation.update
    for gradient in gradients:
        updates, state = update(jnp.asarray([gradient], dtype), state, params)
        yield updates, state


def multi(inner, k, **options):
    return optax.MultiSteps(inner, k, **options).gradient_transformation()


def attempt(thunk):
    try:
        return thunk()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:110]}"


def dtypes():
    for dtype in ("float32", "bfloat16", "float16", "float64"):
        jax.config.update("jax_enable_x64", dtype == "float64")
        start = multi(optax.adam(0.1), 3).init(jnp.ones([1], dtype)).acc_grads.dtype
        shown = [(str(u.dtype), str(s.acc_grads.dtype), str(s.inner_opt_state[0].mu.dtype))
                 for u, s in steps(multi(optax.adam(0.1), 3), [0.1, 0.2, 0.4], dtype)]
        say(f"multi_steps(adam) on {dtype}, acc_grads at the start; (updates, acc_grads, mu) per microstep", f"{start}; {shown}")
        emitted = [u for u, _ in steps(multi(optax.sgd(1.0), 3), [0.1, 0.2, 0.4], dtype)][-1]
        say(f"multi_steps(sgd(1), k=3) on {dtype}, gradients .1 .2 .4, emitted", show(emitted))
        count = [s[0].count.dtype for _, s in steps(optax.adam(0.1), [1.0], dtype)][0]
        say(f"count of adam on {dtype}", count)
    schedule = lambda step: jnp.asarray([1, 2, 2], jnp.int64)[step]
    say("x64, k a schedule of int64, mini_step", attempt(lambda: [str(s.mini_step.dtype) for _, s in steps(
        multi(optax.sgd(1.0), schedule), [1.0, 2.0, 3.0], "float64")]))
    jax.config.update("jax_enable_x64", False)
    for dtype in ("float32", "bfloat16"):
        say(f"accumulator_dtype=None on {dtype}, acc_grads", attempt(lambda: [str(s.acc_grads.dtype) for _, s in steps(
            multi(optax.sgd(1.0), 2, accumulator_dtype=None), [1.0, 2.0], dtype)]))
    say("accumulator_dtype=float64 without x64, acc_grads", attempt(lambda: [str(s.acc_grads.dtype) for _, s in steps(
        multi(optax.sgd(1.0), 2, accumulator_dtype=jnp.float64), [1.0, 2.0])]))


def windows():
    for name, gradients in (("1, 2, -3", [1, 2, -3]), ("-1, -2, 3", [-1, -2, 3])):
        say(f"multi_steps(sgd(1), k=3), gradients {name}, updates", [show(u) for u, _ in steps(multi(optax.sgd(1.0), 3), gradients)])
    for position in range(3):
        gradients = [np.inf if i == position else 1.0 for i in range(3)] + [1.0] * 3
        for title, options in (("never", {}), ("not_finite", {"should_skip_update_fn": optax.skip_not_finite})):
            shown = [(show(u), show(s.acc_grads), int(s.mini_step), int(s.gradient_step))
                     for u, s in steps(multi(optax.sgd(1.0), 3, **options), gradients)]
            say(f"inf in microstep {position + 1} of k=3, skip={title}; (update, acc_grads, mini_step, gradient_step)", shown)
    skipped = list(steps(multi(optax.sgd(1.0), 2, should_skip_update_fn=optax.skip_not_finite), [1.0, np.nan]))[-1][1]
    say("skip_state after a skipped microstep", {name: str(v) for name, v in skipped.skip_state.items()})
    for norm in (4.0, 5.0):
        skip = functools.partial(optax.skip_large_updates, max_squared_norm=25.0)
        state = list(steps(multi(optax.sgd(1.0), 2, should_skip_update_fn=skip), [norm]))[-1][1]
        say(f"skip_large_updates(max_squared_norm=25), norm {norm}: mini_step after it", int(state.mini_step))
    say("apply_every(2), gradients 2 4 1 3, (update, grad_acc, count)",
        [(show(u), show(s.grad_acc), int(s.count)) for u, s in steps(optax.apply_every(2), [2, 4, 1, 3])])
    say("apply_every(2), gradients inf 1 1 1, (update, grad_acc)",
        [(show(u), show(s.grad_acc)) for u, s in steps(optax.apply_every(2), [np.inf, 1, 1, 1])])


def powers():
    for x64, bits in ((False, np.float32), (True, np.float64)):
        jax.config.update("jax_enable_x64", x64)
        for decay in (0.5, 0.25, 0.75):
            power = jax.jit(lambda t: decay**t)
            exact = [t for t in range(1, 61) if float(power(jnp.int32(t))) == float(bits(decay**t))]
            say(f"{power(jnp.int32(1)).dtype} {decay}**t in jit, t = 1..60, is the rounded exact value", f"{len(exact)} of 60")
        for decay in (0.9, 0.999):
            say(f"{bits.__name__} {decay}**t in jit, t = 1..1000, normal results: furthest from the power of the rounded decay, in u",
                round(max(power_error(decay, t, bits) for t in range(1, 1001) if decay**t > np.finfo(bits).tiny), 2))
        say(f"x64={x64}: dtype of 1 - 0.9**count on a bfloat16 leaf", jax.jit(lambda t: 1 - 0.9**t)(jnp.int32(1)).dtype)
    jax.config.update("jax_enable_x64", False)


def power_error(decay, t, bits):
    exact = fractions.Fraction(float(bits(decay))) ** t
    found = fractions.Fraction(float(POWER(bits(decay), np.int32(t))))
    return float(abs(found - exact) / exact / fractions.Fraction(float(np.finfo(bits).eps) / 2))


POWER = jax.jit(lambda decay, t: decay**t)


def divisions():
    grid = [(n, k) for n, k in itertools.product(range(-300, 301), range(1, 65))]
    numbers = np.array([n * k for n, k in grid], np.float32)
    divide = jax.jit(lambda x, n: x / (n + 1))
    wrong = sum(float(q) != n for q, (n, _) in zip(np.asarray(divide(numbers, np.array([k - 1 for _, k in grid], np.int32))), grid))
    say("n*k / k with k an int32 array, |n| <= 300, k <= 64: not exact", f"{wrong} of {len(grid)}")
    constant = [jax.jit(functools.partial(lambda k, x: x / k, k)) for k in range(1, 65)]
    wrong = sum(float(f(np.float32(n * k))) != n for k, f in enumerate(constant, 1) for n in (1, 2, 3, 5, 7, 100, 299))
    say("n*k / k with k a Python constant: not exact", f"{wrong} of {7 * 64}")
    x, n = draw(), RANDOM.integers(1, 64, COUNT).astype(np.int32)
    say("x / n against the rounded quotient: different", int(np.sum(np.asarray(divide(x, n - 1)) != x / n.astype(np.float32))))


def draw():
    return RANDOM.standard_normal(COUNT).astype(np.float32)


def fused(a, b, c):
    return (a.astype(np.float64) * np.float64(b) + np.asarray(c, np.float64)).astype(np.float32)


def orders():
    b, g, m = 0.9, draw(), draw()
    f32, c = np.float32(b), np.float32(1 - b)
    forms = {"(1-b)*g + b*m, each rounded": c * g + f32 * m, "fma(1-b, g, round(b*m))": fused(g, c, f32 * m),
             "fma(b, m, round((1-b)*g))": fused(m, f32, c * g), "m + (1-b)*(g-m)": m + c * (g - m)}
    match("lerp of adam's mu", jax.jit(lambda g, m: (1 - b) * g + b * m)(g, m), forms)
    match("mu of optax.scale_by_adam", jax.jit(lambda g, s: optax.scale_by_adam().update(g, s))(
        g, optax.ScaleByAdamState(jnp.int32(0), jnp.asarray(m), jnp.abs(m)))[1].mu, forms)
    n = RANDOM.integers(1, 9, COUNT).astype(np.int32)
    quotient = (g - m) / (n + 1).astype(np.float32)
    reciprocal = (g - m) * (np.float32(1) / (n + 1).astype(np.float32))
    match("acc + (g-acc)/(n+1) with another n for each element", jax.jit(lambda g, m, n: m + (g - m) / (n + 1))(g, m, n),
          {"acc + (g-acc)/(n+1), each rounded": m + quotient, "with 1/(n+1)": m + reciprocal})
    momentum = jax.jit(lambda g, t: optax.trace(0.9).update(g, optax.TraceState(t)))(g, m)[0]
    match("trace", momentum, {"g + b*t, each rounded": g + f32 * m, "fma(b, t, g)": fused(m, f32, g)})
    match("params + (-lr * g) in one jit", jax.jit(lambda p, g: p + np.float32(-0.1) * g)(m, g),
          {"each rounded": m + np.float32(-0.1) * g, "fma": fused(g, np.float32(-0.1), m)})


def match(what, found, forms):
    found = np.asarray(found)
    say(what, ", ".join(f"{name} in {int(np.sum(found == value))} of {COUNT}" for name, value in forms.items()))


def precision():
    add = lambda x, y, z: x + y - z
    numbers = [jnp.bfloat16(256), jnp.bfloat16(1), jnp.bfloat16(256)]
    say("bfloat16 256 + 1 - 256, eager; jit", f"{add(*numbers)}; {jax.jit(add)(*numbers)}")
    x, y, z = (jnp.asarray(draw(), jnp.bfloat16) for _ in range(3))
    once = np.asarray(x, np.float64) * np.asarray(y, np.float64) + np.asarray(z, np.float64)
    match("bfloat16 x*y + z in jit", jax.jit(lambda x, y, z: x * y + z)(x, y, z),
          {"each rounded": np.asarray(x) * np.asarray(y) + np.asarray(z), "rounded once": once.astype(jnp.bfloat16)})
    for dtype in (jnp.float32, jnp.bfloat16):
        compare("adam, eager against jit", optax.adam(0.1), optax.adam(0.1), dtype, eager=True)
        compare("multi_steps(adam, k=1) against adam, both jit", multi(optax.adam(0.1), 1), optax.adam(0.1), dtype)
        compare("multi_steps(sgd(1), k=1) against sgd, both jit", multi(optax.sgd(1.0), 1), optax.sgd(1.0), dtype)
    say("float32 1.2e-38 * 0.5 in jit", jax.jit(lambda x: x * np.float32(0.5))(np.float32(1.2e-38)))


def compare(what, first, second, dtype, eager=False):
    """Ten updates of two transformations on the same gradients, from params of ones."""
    params, different = jnp.ones([COUNT // 10], dtype), 0
    pairs = [(first.update if eager else jax.jit(first.update), first.init(params)), (jax.jit(second.update), second.init(params))]
    for _ in range(10):
        gradients = jnp.asarray(draw()[: COUNT // 10], dtype)
        answers = [update(gradients, state, params) for update, state in pairs]
        different += int(jnp.sum(answers[0][0] != answers[1][0]))
        pairs = [(update, state) for (update, _), (_, state) in zip(pairs, answers)]
    say(f"{what}, {dtype.__name__}, ten updates: different", f"{different} of {COUNT}")


def clipping():
    clip = jax.jit(optax.clip_by_global_norm(1.0).update)
    for gradient in ([1.0, 0.0], [3.0, 4.0], [2.0, 0.0], [np.inf, 1.0]):
        say(f"clip_by_global_norm(1) on {gradient}", show(clip(jnp.asarray(gradient, jnp.float32), optax.EmptyState(), None)[0]))
    say("clip(1) on [nan, inf, -2]", show(optax.clip(1.0).update(jnp.asarray([np.nan, np.inf, -2.0]), optax.EmptyState())[0]))


def absent():
    params = {"w": jnp.ones([1]), "frozen": jnp.ones([1])}
    for name, t in (("sgd", optax.sgd(0.1)), ("sgd with momentum", optax.sgd(0.1, 0.9)), ("adam", optax.adam(0.1)),
                    ("apply_every", optax.apply_every(2)), ("multi_steps(sgd)", multi(optax.sgd(0.1), 2))):
        say(f"None for the gradient of a leaf, {name}", attempt(
            lambda: show(jax.jit(t.update)({"w": jnp.ones([1]), "frozen": None}, t.init(params), params)[0])))
    say("apply_updates with None", attempt(lambda: show(optax.apply_updates(params, {"w": jnp.ones([1]), "frozen": None}))))


def means():
    """The running mean within the real MultiSteps: microstep n + 1 of a window of k, from a drawn accumulator."""
    for k, n in ((2, 1), (3, 1), (3, 2), (4, 3), (8, 2), (8, 4), (8, 6)):
        g, acc = draw(), draw()
        reciprocal, count = np.float32(1) / np.float32(n + 1), np.float32(n + 1)
        match(f"running mean of MultiSteps, k={k}, microstep {n + 1}", mean_after(k, n, g, acc), {
            "acc + (g-acc)/(n+1), each rounded": acc + (g - acc) / count, "each rounded with 1/(n+1)": acc + (g - acc) * reciprocal,
            "fma(g-acc, 1/(n+1), acc)": fused(g - acc, reciprocal, acc)})
    sizes = 12 * RANDOM.integers(1, 6, (3, COUNT)) / 64
    for name, signs in (("of one sign", np.sign(draw())), ("of mixed signs", np.sign(RANDOM.standard_normal((3, COUNT))))):
        gradients = (sizes * signs).astype(np.float32)
        found = emitted_mean(gradients)
        wrong = found != gradients.astype(np.float64).mean(0)
        say(f"mean over k=3 of multiples of 12/64 {name}: not exact", f"{int(wrong.sum())} of {COUNT}")
    for shape in ([], [1], [2], [2, 3]):
        gradients = np.stack([np.full(shape, x, np.float32) for x in (0.1875, 0.375, -0.5625)])
        say(f"mean over k=3 of 0.1875, 0.375, -0.5625 in a leaf of shape {shape}", sorted(set(emitted_mean(gradients).ravel().tolist())))

def mean_after(k, n, gradients, accumulator):
    steps_of = multi(optax.sgd(1.0), k)
    start = steps_of.init(jnp.ones([COUNT]))._replace(mini_step=jnp.int32(n), acc_grads=jnp.asarray(accumulator))
    updates, state = jax.jit(steps_of.update)(gradients, start, jnp.ones([COUNT]))
    return -np.asarray(updates) if n == k - 1 else state.acc_grads


def emitted_mean(gradients):
    steps_of, params = multi(optax.sgd(1.0), len(gradients)), jnp.ones(gradients.shape[1:])
    state, update = steps_of.init(params), jax.jit(steps_of.update)
    for gradient in gradients:
        updates, state = update(gradient, state, params)
    return -np.asarray(updates)


def inner_dtypes():
    """What the inner transformation is given, for each dtype of the gradients."""
    for dtype in ("float32", "bfloat16", "float16", "float64"):
        jax.config.update("jax_enable_x64", dtype == "float64")
        given = []
        inner = optax.stateless(lambda updates, params: given.append(str(updates.dtype)) or updates)
        acc = [str(state.acc_grads.dtype) for _, state in steps(multi(inner, 2), [0.1, 0.2], dtype)][-1]
        say(f"gradients of {dtype}: acc_grads; given to the inner", f"{acc}; {given[-1]}")
    jax.config.update("jax_enable_x64", False)


if __name__ == "__main__":
    say("optax, jax, python", f"{optax.__version__}, {jax.__version__}, {sys.version.split()[0]}")
    for measure in (dtypes, windows, powers, divisions, orders, precision, clipping, absent, means, inner_dtypes):
        measure()
