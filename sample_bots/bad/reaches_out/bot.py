"""Opens sockets: to services of this machine, and of other kinds."""

import socket
import sys
from collections.abc import Callable

from protocol import View, run

done: list[int] = []


def tried(what: str, attempt: Callable[[], object]) -> None:
    try:
        seen = attempt()
    except OSError as error:
        print("STOPPED", what, "|", error, file=sys.stderr, flush=True)
    else:
        print("THROUGH" if seen else "STOPPED", what, "|", seen, file=sys.stderr, flush=True)


def service() -> str:
    """The service that waits for this attack, and names itself."""
    for port in range(47631, 47647):
        try:
            with socket.create_connection(("127.0.0.1", port), 0.2) as connection:
                connection.settimeout(0.2)
                text = connection.recv(200).decode("ascii", "replace")
                if text.startswith("ARENA_CANARY="):
                    return text
        except ConnectionRefusedError:
            continue
        except TimeoutError:
            continue
    return ""


def choose(view: View) -> str:
    if not done:
        done.append(1)
        tried("a service on the loopback", service)
        tried("a datagram socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).fileno())
        tried("a socket to the hypervisor", lambda: socket.socket(socket.AF_VSOCK).fileno())
        tried("a netlink socket", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno())
    return view.legal[0]


run(choose)
