"""Where a Dask scheduler may be reached, and how: encrypted, with certificates of one's own, off loopback."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import ArenaError, Exit

if TYPE_CHECKING:
    from distributed import Security

PORT = 8786
ROLES = ("scheduler", "worker", "client")
CA = "ca.pem"
CA_KEY = "ca-key.pem"


@dataclass(frozen=True, slots=True)
class Address:
    """A scheduler's address, checked."""

    scheme: str
    """`tcp` (loopback alone) or `tls`."""
    host: str
    port: int

    @property
    def url(self) -> str:
        """As Dask writes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own loopback."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_address(text: str, tls: Path | None) -> Address:
    """`tls://host:port`, `tcp://host:port` or `host:port`. Raises ArenaError for plain text off loopback."""
    scheme, found, rest = text.rpartition("://")
    if not found:
        scheme = "tls" if tls is not None else "tcp"
    if scheme not in ("tcp", "tls"):
        raise ArenaError(
            f"scheduler `{text}`: unknown protocol `{scheme}`",
            hint="tls://HOST:PORT, or tcp://127.0.0.1:PORT on this machine",
            exit_code=Exit.USAGE,
        )
    host, colon, port = rest.rpartition(":")
    if not colon or rest.endswith("]"):
        host, port = rest, str(PORT)
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ArenaError(
            f"scheduler `{text}`: expected HOST:PORT", hint=f"the usual port is {PORT}", exit_code=Exit.USAGE
        )
    address = Address(scheme, host, int(port))
    if scheme == "tcp" and not address.loopback:
        raise ArenaError(
            f"scheduler `{text}`: plain TCP off this machine: whoever can reach it can run programs there",
            hint=f"`arena tls new DIR` makes certificates; then tls://{host}:{port} with --tls DIR",
            exit_code=Exit.USAGE,
        )
    if scheme == "tls" and tls is None:
        raise ArenaError(
            f"scheduler `{text}`: TLS needs certificates",
            hint="--tls DIR, a folder that `arena tls new DIR` made",
            exit_code=Exit.USAGE,
        )
    if scheme == "tcp" and tls is not None:
        raise ArenaError(
            f"scheduler `{text}`: tcp:// is not encrypted, and --tls was given",
            hint=f"tls://{host}:{port}",
            exit_code=Exit.USAGE,
        )
    return address


def security(tls: Path | None) -> Security | None:
    """Dask's own record of the certificates in a folder. Raises ArenaError where a file is missing."""
    if tls is None:
        return None
    from distributed import Security

    files: dict[str, Any] = {"tls_ca_file": str(_there(tls, CA))}
    for role in ROLES:
        cert, key = tls / f"{role}.pem", tls / f"{role}-key.pem"
        if cert.is_file() and key.is_file():
            files[f"tls_{role}_cert"], files[f"tls_{role}_key"] = str(cert), str(key)
    if len(files) == 1:
        raise ArenaError(f"{tls}: holds no certificate", hint="`arena tls new DIR` makes them")
    return Security(require_encryption=True, **files)  # type: ignore[no-untyped-call]


def _there(tls: Path, name: str) -> Path:
    path = tls / name
    if not path.is_file():
        raise ArenaError(f"{path}: there is no such file", hint="`arena tls new DIR` makes it")
    return path


def make_certificates(folder: Path, hosts: Sequence[str] = (), days: int = 730) -> list[Path]:
    """Make an authority and a certificate for each role in `folder`; the files made (keys 0600).

    Raises ArenaError where the folder holds certificates already, or `cryptography` is not installed.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
    except ImportError:
        raise ArenaError(
            "`cryptography` is not installed",
            hint="pip install 'euchre-arena[dask]'",
            exit_code=Exit.ENVIRONMENT,
        ) from None
    if (folder / CA).exists():
        raise ArenaError(
            f"{folder / CA}: exists already: whatever trusts it would no longer work", hint="another folder"
        )
    made: list[Path] = []

    def write(name: str, data: bytes, mode: int) -> None:
        path = folder / name
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        made.append(path)

    def pem(key: ec.EllipticCurvePrivateKey) -> bytes:
        return key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    def named(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def begun(key: ec.EllipticCurvePrivateKey, subject: x509.Name) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(authority)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=days))
        )

    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        authority = named("euchre-arena cluster")
        ca_key = ec.generate_private_key(ec.SECP256R1())
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        signer = x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key())
        ca = (
            begun(ca_key, authority)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(signer, critical=False)
            .sign(ca_key, hashes.SHA256())
        )
        write(CA, ca.public_bytes(serialization.Encoding.PEM), 0o644)
        write(CA_KEY, pem(ca_key), 0o600)
        names = [_general_name(host) for host in ("localhost", "127.0.0.1", "::1", *hosts)]
        for role in ROLES:
            key = ec.generate_private_key(ec.SECP256R1())
            cert = (
                begun(key, named(f"euchre-arena {role}"))
                .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
                .add_extension(x509.SubjectAlternativeName(names), critical=False)
                .add_extension(
                    x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                    critical=False,
                )
                .add_extension(
                    x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(signer), critical=False
                )
                .sign(ca_key, hashes.SHA256())
            )
            write(f"{role}.pem", cert.public_bytes(serialization.Encoding.PEM), 0o644)
            write(f"{role}-key.pem", pem(key), 0o600)
    except OSError as error:
        raise ArenaError(
            f"{error.filename or folder}: {error.strerror}", exit_code=Exit.ENVIRONMENT
        ) from None
    return made


def _general_name(host: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
