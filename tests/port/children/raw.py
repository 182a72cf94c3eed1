"""Writes the bytes that its argument names in hexadecimal, then waits for the end of its stdin."""
import os
import sys

os.write(1, bytes.fromhex(sys.argv[1]))
sys.stdin.read()
