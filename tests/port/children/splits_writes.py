"""Writes one answer in many pieces, in the middle of a UTF-8 sequence too, and with a carriage return at its end."""
import os
import time

for byte in '{"answer": "é"}\r\n'.encode():
    os.write(1, bytes([byte]))
    time.sleep(0.005)
