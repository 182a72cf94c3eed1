"""What the reference package makes of safetensors files, for tests/golden and tests/optax. With safetensors 0.8.0:

python3 tools/ports/record_safetensors.py write > tests/golden/recorded/reference.safetensors
python3 tools/ports/record_safetensors.py read FILE...     a line a tensor: name, dtype, shape, data; `refused` for a file"""
import sys

import ml_dtypes, numpy as np, safetensors, safetensors.numpy  # ml_dtypes: NumPy then knows bfloat16

BITS = {  # little-endian: numbers at the edges of each dtype, both zeros, infinities, a NaN with a payload
    "F64": "000000000000f03f 0000000000000080 0100000000000000 ffffffffffffef7f 000000000000f0ff 010000000000f87f",
    "F32": "0000803f 00000080 01000000 ffff7f7f 000080ff 0100c07f",
    "F16": "003c 0080 0100 ff7b 00fc 017e",
    "BF16": "803f 0080 0100 7f7f 80ff c17f",
}

NAMES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}

def tensor(dtype, shape, hexadecimal):
    return np.frombuffer(bytes.fromhex(hexadecimal), np.dtype(dtype)).reshape(shape)

def write():
    tensors = {f"edges/{dtype}": tensor(NAMES[dtype], (2, 3), bits) for dtype, bits in BITS.items()}
    tensors |= {"scalar": tensor("float32", (), "0000c03f"), "empty": np.zeros((3, 0)),
                'of[0]/"größer\\': tensor("bfloat16", (1, 1, 1, 2), "803f 0040")}
    made = {"made": "safetensors 0.8.0, tools/ports/record_safetensors.py"}
    sys.stdout.buffer.write(safetensors.numpy.save(tensors, made))

def read(path):
    try:
        with open(path, "rb") as file:
            tensors = safetensors.deserialize(file.read())
    except safetensors.SafetensorError:
        return print("refused")
    for name, found in sorted(tensors):
        print(name, found["dtype"], found["shape"], bytes(found["data"]).hex())
    print("read")

if __name__ == "__main__":
    if sys.argv[1] == "write":
        write()
    for path in sys.argv[2:]:
        read(path)
