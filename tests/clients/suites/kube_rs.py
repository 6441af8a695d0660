"""The tests of kube's crates that need a cluster, in the version of this repository."""

import functools
import json
import pathlib
import shutil
import subprocess

from outcome import Outcome, need, prepare

from .suite import HERE, Place, Suite

# The crates with such tests, and the features that kube's own `just test-integration` gives them.
FEATURES = {"kube": "derive,runtime", "kube-client": "rustls-tls,ws", "kube-runtime": "unstable-runtime"}
# What the crates' tests use of each other. Manifests in the registry leave this out, since it is a circle.
FEATURES_FOR_TESTS = {"kube-client": ["derive", "client", "ws"], "kube-runtime": ["derive", "client", "runtime"]}
# Tests that are ignored for another reason than that they need a cluster.
OTHERS = ["client::auth::"]
# The tests wait for at most 25 seconds at a time.
LIMIT = 90


def run(crate: str, place: Place) -> Outcome:
    """Runs the tests of a crate, each in a process of its own so that one that hangs ends only itself."""
    need("cargo")
    folder = workspace(place)
    program = build(crate, folder, place)
    skipped = [part for other in OTHERS for part in ("--skip", other)]
    listed = subprocess.run([program, "--list", "--ignored", *skipped], capture_output=True, text=True, check=True)
    outcome = Outcome()
    for line in listed.stdout.splitlines():
        name, _, kind = line.rpartition(": ")
        if kind == "test":
            run_one(name, [program, "--ignored", "--exact", name], place, outcome)
    return outcome


def run_one(name: str, command: list, place: Place, outcome: Outcome) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=place.environment())
    except subprocess.TimeoutExpired:
        outcome.failed[name] = f"it does not end within {LIMIT} s"
        return
    if result.returncode == 0:
        outcome.passed.append(name)
    else:
        printed = result.stdout.partition("stdout ----\n")[2].partition("\n\nfailures:")[0].strip()
        outcome.failed[name] = printed or result.stderr.strip()


def workspace(place: Place) -> pathlib.Path:
    """Copies the crates from cargo's registry into a workspace, which has the versions of this repository's `Cargo.lock`."""
    root = HERE.parent.parent
    prepare(["cargo", "fetch", "--locked"], cwd=root)
    metadata = ["cargo", "metadata", "--format-version=1", "--locked", "--offline"]
    output = subprocess.run(metadata, cwd=root, capture_output=True, text=True, check=True).stdout
    sources = {package["name"]: pathlib.Path(package["manifest_path"]).parent for package in json.loads(output)["packages"]}
    folder = place.work / "kube-rs"
    for crate in FEATURES:
        shutil.copytree(sources[crate], folder / crate, dirs_exist_ok=True)
        with open(folder / crate / "Cargo.toml", "a") as manifest:
            if features := FEATURES_FOR_TESTS.get(crate):
                manifest.write(f'\n[dev-dependencies.kube]\nversion = "*"\nfeatures = {json.dumps(features)}\n')
    patches = "".join(f'{crate} = {{ path = "{crate}" }}\n' for crate in FEATURES)
    members = json.dumps(list(FEATURES))
    (folder / "Cargo.toml").write_text(f'[workspace]\nresolver = "3"\nmembers = {members}\n\n[patch.crates-io]\n{patches}')
    shutil.copyfile(root / "Cargo.lock", folder / "Cargo.lock")
    return folder


def build(crate: str, folder: pathlib.Path, place: Place) -> str:
    """Builds the tests of a crate, and returns their program."""
    # All at once, so that what the crates depend on is compiled with one set of features.
    packages = [part for package in FEATURES for part in ("--package", package)]
    features = ",".join(f"{package}/{name}" for package, names in FEATURES.items() for name in names.split(","))
    command = ["cargo", "test", "--lib", "--no-run", *packages, "--features", features]
    environment = place.environment(CARGO_TARGET_DIR=str(folder / "target"), CARGO_PROFILE_DEV_DEBUG="false")
    prepare(command, cwd=folder, env=environment)
    messages = subprocess.run(
        [*command, "--message-format=json"], cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    artifacts = [json.loads(message) for message in messages]
    return next(
        artifact["executable"]
        for artifact in artifacts
        if artifact.get("executable") and artifact["target"]["name"].replace("_", "-") == crate
    )


SUITES = [Suite(f"kube-rs/{crate}", functools.partial(run, crate), ("--rbac",)) for crate in FEATURES]
