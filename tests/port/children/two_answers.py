import os
import sys

sys.stdin.readline()
os.write(1, b"first\nsecond\n")
sys.stdin.readline()
