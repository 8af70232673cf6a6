"""Prints a banner to stdout before it says that it is ready."""

print("SuperBot 3000, all rights reserved", flush=True)

from protocol import run  # noqa: E402

run(lambda view: view.legal[0])
