"""Says that it is ready, and never reads again."""

import os
import time

from protocol import encode_frame

os.read(0, 65536)
os.write(1, encode_frame({"type": "ready"}))
time.sleep(60)
