import sys


def load():
    raise RuntimeError("no such model")


try:
    load()
except RuntimeError:
    import traceback

    traceback.print_exc()
    sys.exit(3)
