"""The two servers: `crdkit-api-server`, and a real control plane to record what it answers."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

START_LIMIT = 120
TOKEN = "clients"


def build(root: pathlib.Path) -> pathlib.Path:
    """Builds the program, and returns its path."""
    subprocess.run(
        ["cargo", "build", "--quiet", "--package", "crdkit-api-server", "--features", "program"], cwd=root, check=True
    )
    return target(root) / "debug" / "crdkit-api-server"


def target(root: pathlib.Path) -> pathlib.Path:
    """Returns the folder of what is built."""
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target")).resolve()


@contextlib.contextmanager
def in_process(program: pathlib.Path, arguments: list[str]):
    """Runs the program, and yields its kubeconfig."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = pathlib.Path(folder, "kubeconfig.yaml")
        log = open(pathlib.Path(folder, "log"), "wb")
        server = subprocess.Popen([program, "--kubeconfig", kubeconfig, *arguments], stdout=log, stderr=log)
        try:
            wait(server, log.name, kubeconfig.exists)
            yield kubeconfig
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def real(program: pathlib.Path):
    """Runs etcd and kube-apiserver in one process, as `ControlPlane` does, and yields the kubeconfig."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        path = pathlib.Path(folder)
        (path / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        log = open(path / "log", "wb")
        flags = [
            "--advertise-address=127.0.0.1",
            "--allow-privileged=true",
            "--authorization-mode=RBAC",
            "--bind-address=127.0.0.1",
            f"--cert-dir={folder}",
            "--disable-admission-plugins=ServiceAccount",
            "--endpoint-reconciler-type=none",
            f"--secure-port={port}",
            f"--service-account-issuer=https://127.0.0.1:{port}/",
            f"--service-account-key-file={folder}/apiserver.key",
            f"--service-account-signing-key-file={folder}/apiserver.key",
            "--service-cluster-ip-range=10.0.0.0/24",
            f"--token-auth-file={folder}/tokens.csv",
        ]
        # It ends when its input closes.
        server = subprocess.Popen([program, folder, *flags], stdin=subprocess.PIPE, stdout=log, stderr=log)
        kubeconfig = path / "kubeconfig"
        kubeconfig.write_text(json.dumps(kubeconfig_of(f"https://127.0.0.1:{port}", f"{folder}/apiserver.crt")))
        try:
            wait(server, log.name, lambda: is_ready(port))
            yield kubeconfig
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait()


def kubeconfig_of(server: str, certificate: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
        "users": [{"name": "admin", "user": {"token": TOKEN}}],
        "clusters": [{"name": "test", "cluster": {"server": server, "certificate-authority": certificate}}],
    }


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_ready(port: int) -> bool:
    request = urllib.request.Request(f"https://127.0.0.1:{port}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
    # The certificate is written while the server starts.
    anyone = ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(request, context=anyone, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def wait(server: subprocess.Popen, log: str, is_there) -> None:
    deadline = time.monotonic() + START_LIMIT
    while not is_there():
        if server.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the server does not start: {pathlib.Path(log).read_text()}")
        time.sleep(0.02)
