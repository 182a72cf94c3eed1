"""Lines that nobody asked for, without end."""
import os

while True:
    os.write(1, b"unasked\n" * 8192)
