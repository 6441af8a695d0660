"""The tests of kube that need a cluster, in the sources of its crates that cargo has fetched."""

import json
import pathlib
import re
import shutil
import subprocess

from outcome import Outcome, need, prepare

from .suite import HERE, Place, Suite

ROOT = HERE.parent.parent
CRATES = ["kube", "kube-client", "kube-runtime"]
# With these, all tests that need a cluster are compiled.
FEATURES = ["admission", "derive", "jsonpatch", "kubelet-debug", "runtime", "unstable-client", "ws"]
COMPILE_LIMIT = 1800


def run(place: Place) -> Outcome:
    need("cargo")
    folder = place.work / "kube-rs"
    copy_sources(folder)
    packages = [word for crate in CRATES for word in ("--package", crate)]
    features = ",".join(f"kube/{feature}" for feature in FEATURES)
    command = ["cargo", "test", "--lib", *packages, "--features", features]
    environment = place.environment(CARGO_TARGET_DIR=str(folder / "target"))
    prepare([*command, "--no-run"], cwd=folder, env=environment, timeout=COMPILE_LIMIT)
    tests = [*command, "--no-fail-fast", "--", "--ignored", "--test-threads=1"]
    result = subprocess.run(tests, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    return read(result.stdout)


def copy_sources(folder: pathlib.Path) -> None:
    """Makes a workspace of the crates, in the versions of this repository."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version=1", "--locked"], cwd=ROOT, capture_output=True, check=True
    )
    packages = {it["name"]: it["manifest_path"] for it in json.loads(metadata.stdout)["packages"]}
    patches = ""
    for crate in CRATES:
        shutil.rmtree(folder / crate, ignore_errors=True)
        shutil.copytree(pathlib.Path(packages[crate]).parent, folder / crate)
        patches += f'{crate} = {{ path = "{crate}" }}\n'
    members = json.dumps(CRATES)
    manifest = f'[workspace]\nresolver = "3"\nmembers = {members}\n\n[profile.dev]\ndebug = false\n\n[patch.crates-io]\n'
    (folder / "Cargo.toml").write_text(manifest + patches)
    if not (folder / "Cargo.lock").exists():
        shutil.copy(ROOT / "Cargo.lock", folder / "Cargo.lock")


def read(printed: str) -> Outcome:
    outcome = Outcome()
    for name, verdict in re.findall(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$", printed, re.MULTILINE):
        if verdict == "ok":
            outcome.passed.append(name)
            continue
        block = rf"^---- {re.escape(name)} stdout ----\n(.*?)(?=^---- |^failures:)"
        reason = re.search(block, printed, re.MULTILINE | re.DOTALL)
        outcome.failed[name] = reason.group(1).strip() if reason else ""
    return outcome


SUITES = [Suite("kube-rs", run, ("--rbac",))]
