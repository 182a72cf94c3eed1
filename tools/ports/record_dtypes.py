"""Writes tests/scalar/data/ml_dtypes.txt: what NumPy and ml_dtypes compute in 16 and 32 bits, as bit patterns.

Usage: record_dtypes.py OUTPUT. A line is `op dtype a b result`, `b` is `-` for one operand; the operand of a cast is a
float32 (`cast`) or a float64 (`cast64`). NaN results are written as `nan`. The same versions give the same bytes.
"""
import sys

import ml_dtypes
import numpy as np

DTYPES = {
    "bfloat16": (np.dtype(ml_dtypes.bfloat16), np.uint16),
    "float16": (np.dtype(np.float16), np.uint16),
    "float32": (np.dtype(np.float32), np.uint32),
}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
ROWS = 240


def hexadecimal(x):
    if np.isnan(x):
        return "nan"
    x = np.asarray(x)
    return format(int(x.view(f"u{x.itemsize}")), f"0{2 * x.itemsize}x")


def edges(dtype, unsigned):
    info = ml_dtypes.finfo(dtype)
    tiny, normal, largest = info.smallest_subnormal, info.tiny, info.max
    below = np.array(normal).view(unsigned) - unsigned(1)
    one_up = np.array(1, dtype).view(unsigned) + unsigned(1)
    values = [0.0, 1.0, 3.0, tiny, normal, largest, np.inf]
    values += [below.view(dtype), one_up.view(dtype)]
    positive = [np.asarray(v).astype(dtype) for v in values]
    return positive + [-v for v in positive] + [np.asarray(np.nan).astype(dtype)]


def operands(dtype, unsigned, random):
    bits = random.integers(0, 2 ** (8 * dtype.itemsize), ROWS // 2, dtype=np.uint64).astype(unsigned).view(dtype)
    middling = (random.uniform(-4, 4, ROWS // 2) * 2.0 ** random.integers(-6, 6, ROWS // 2)).astype(dtype)
    return list(bits) + list(middling)


def lines_of(name, dtype, unsigned, random):
    special = edges(dtype, unsigned)
    left, right = operands(dtype, unsigned, random), operands(dtype, unsigned, random)
    random.shuffle(right)
    pairs = list(zip(left, right))
    for op, compute in BINARY.items():
        for a, b in [(a, b) for a in special for b in special] + pairs:
            yield f"{op} {name} {hexadecimal(a)} {hexadecimal(b)} {hexadecimal(compute(a, b).astype(dtype))}"
    for a in special + left:
        yield f"sqrt {name} {hexadecimal(a)} - {hexadecimal(np.sqrt(a).astype(dtype))}"


def casts_of(name, dtype, unsigned, random):
    single = np.dtype(np.float32)
    wide = edges(single, np.uint32) + operands(single, np.uint32, random)
    ties = [(np.float32(x) + np.float32(np.nextafter(np.asarray(x), np.asarray(np.inf, dtype)))) / np.float32(2)
            for x in operands(dtype, unsigned, random) if np.isfinite(x)]
    for a in wide + [np.asarray(tie, np.float32) for tie in ties]:
        yield f"cast {name} {hexadecimal(a)} - {hexadecimal(np.asarray(a).astype(dtype))}"


def main():
    random = np.random.default_rng(3)
    np.seterr(all="ignore")
    lines = [f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}: op dtype a b result, patterns in hex"]
    for name, (dtype, unsigned) in DTYPES.items():
        lines += lines_of(name, dtype, unsigned, random)
        lines += casts_of(name, dtype, unsigned, random) if name != "float32" else []
    for a in [1e300, -1e300, 1e-300, 0.1, 1 / 3, 1 + 2**-24, 1 + 3 * 2**-24, 2**-149.5, 3.4028235677973366e38]:
        lines.append(f"cast64 float32 {hexadecimal(np.float64(a))} - {hexadecimal(np.float64(a).astype(np.float32))}")
    with open(sys.argv[1], "w", encoding="ascii") as output:
        output.write("\n".join(lines) + "\n")


main()
