"""Takes the memory in four children, each below the limit of a process."""

import os
import time

from protocol import Bot, View


class Leaker(Bot):
    megabytes = 0

    def on_hello(self, hello: dict) -> None:
        self.megabytes = hello["limits"]["memory_mb"] * 6 // 10

    def choose(self, view: View) -> str:
        for _ in range(4):
            if os.fork() == 0:
                kept = b"x" * (self.megabytes << 20)
                time.sleep(60 if kept else 0)
                os._exit(0)
        time.sleep(60)
        return view.legal[0]


Leaker().run()
