"""Writes its messages to a buffer and never flushes it."""

import sys
import time

from protocol import encode_frame

out = open(1, "wb", buffering=1 << 16)
sys.stdin.buffer.read(1)
out.write(encode_frame({"type": "ready"}))
time.sleep(60)
