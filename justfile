# The commands that `.ci/run` runs and that you run while you work. `just --list` shows them.

set shell := ["bash", "-euo", "pipefail", "-c"]

# The features of the runtime that its unit tests need.
unit_features := "latest,controller,cron,rustls-tls,ring,testing,webhook"
# What `client` passes on to kube, and what does nothing without it.
forwarded := "aws-lc-rs,gzip,http-proxy,oauth,oidc,ring,rustls-tls,socks5,webpki-roots,ws"
# The oldest compiler that builds the published crates: kube's own.
oldest_rust := "1.89"

_default:
    @just --list --unsorted

# The inner loop: the unit tests of one crate (api-server, cli, core, macros, runtime, tools), those of `filter` alone if it is given.
unit crate filter="":
    cargo test --package {{ if crate == "runtime" { "crdkit --lib --features " + unit_features } else if crate == "api-server" { "crdkit-api-server --lib --all-features" } else if crate == "tools" { "crdkit-tools --lib --all-features" } else if crate == "cli" { "cargo-crdkit --bins" } else { "crdkit-" + crate } }} -- {{ filter }}

# The tests, and those that use an API server once more on the one in the process. With `CRDKIT_ALL_CASES=1`, all random cases.
test:
    cargo test --workspace --no-fail-fast
    CRDKIT_API_SERVER=process cargo test --workspace \
        --test client --test drop_in --test forms --test informer --test resources --test size --test types
    CRDKIT_API_SERVER=process cargo test --workspace --test manifests an_api_server

# Writes the expected compiler errors of all cases, or of those whose path contains `filter`. Review the difference.
bless filter="":
    TRYBUILD=overwrite cargo test --package crdkit-macros mistakes
    TRYBUILD=overwrite cargo test --workspace --test ui mistakes -- {{ if filter == "" { "" } else { "trybuild=" + filter } }}

# The fan-out of informers, in each order of its threads' steps.
loom:
    cargo test --workspace --lib loom_tests -- --ignored

# The program with traces and profiles, which is a workspace of its own.
telemetry:
    cargo fmt --manifest-path examples/telemetry/Cargo.toml --check
    CARGO_TARGET_DIR=target/telemetry cargo clippy --locked --manifest-path examples/telemetry/Cargo.toml --all-targets -- -D warnings
    CARGO_TARGET_DIR=target/telemetry cargo test --locked --manifest-path examples/telemetry/Cargo.toml

# Formatting and clippy.
lint: fmt-check clippy

# Words of the documentation for which there are plainer ones; a list to look at, not a failure.
words:
    .ci/words

fmt-check:
    cargo fmt --all --check

clippy:
    cargo clippy --workspace --all-targets -- -D warnings

# The documentation of the libraries and of the published program, as docs.rs builds it. With examples, cargo uses the crates that
# clippy checked.
docs:
    RUSTDOC={{ justfile_directory() }}/.ci/rustdoc-of-docs-rs RUSTDOCFLAGS="-D warnings" \
        cargo doc --workspace --no-deps --lib --bin cargo-crdkit --examples
    # No two public types share a name. The prelude repeats some, and an `Error` stands for any error in its module.
    ! grep -oE 'href="[a-z_0-9/]*(struct|enum|trait|type|union)\.[A-Za-z0-9]+\.html"' target/doc/crdkit/all.html \
        | grep -vE '"prelude/|type\.Error\.' | sed -E 's/.*\.([A-Za-z0-9]+)\.html"/\1/' | sort | uniq -d | grep .

# Each feature alone on the newest Kubernetes that k8s-openapi has; none and nearly all of them on the oldest.
features:
    #!/usr/bin/env bash
    set -euxo pipefail
    # Unlike flags of the compiler, it leaves dependencies as they are compiled.
    export RUSTC_WORKSPACE_WRAPPER={{ justfile_directory() }}/.ci/rustc-that-denies-warnings
    cargo hack check --package crdkit --each-feature --exclude-all-features \
        --exclude-features "default,latest,openssl-tls,{{ forwarded }}" --features k8s-openapi/v1_37
    cargo check --package crdkit --no-default-features --features k8s-openapi/v1_33
    cargo check --package crdkit --features "bytes,chrono,controller,convert,cron,testing,url,uuid,webhook,k8s-openapi/v1_33"
    cargo check --package crdkit --features "client,{{ forwarded }},k8s-openapi/v1_37"
    cargo hack check --package crdkit-api-server --each-feature --exclude-all-features --exclude-features latest --features k8s-openapi/v1_37
    cargo check --package crdkit-api-server --features "control-plane,controllers,gzip,protobuf,sharded-lists,signed-tokens,strategic-merge-patch,tables,webhook,k8s-openapi/v1_33"
    cargo hack check --package crdkit-tools --each-feature --exclude-all-features --features k8s-openapi/v1_37
    cargo check --package crdkit-tools --all-features --features k8s-openapi/v1_33
    if pkg-config --exists openssl; then cargo check --package crdkit --features "client,openssl-tls,k8s-openapi/v1_37"; fi

# What `cargo crdkit new` and `add` create: built, linted, tested and run, and with no features of crdkit but those of its manifest.
projects:
    cargo test --workspace --test projects -- --ignored

# Without features crdkit has neither a runtime nor a network stack. In the workspace, nothing is compiled twice because
# build scripts need other features of it than tests: those of both are in the manifest of `tests`. Programs in Go use what the
# control plane has compiled, because they need the same versions of Kubernetes' libraries.
dependencies:
    ! cargo tree --package crdkit --features latest --edges normal,build --prefix none | grep -E '^(tokio|hyper|reqwest)\b'
    ! cargo tree --workspace --duplicates --depth 0 --prefix none | grep ' v' | sort | uniq -d | grep .
    ! grep -rhoE --include go.mod '^[[:space:]]k8s\.io/[a-z-]+ v0\.[1-9][^[:space:]]*' api-server benches tests | sort -u | awk '{ print $1 }' | uniq -d | grep .
    cargo deny --all-features check bans licenses sources
    cargo deny --manifest-path examples/telemetry/Cargo.toml --config deny.toml --all-features check licenses sources

# The tarballs of the published crates. Cargo keeps what it unpacked of an earlier run under the same version.
package:
    rm -rf target/package "${CARGO_HOME:-$HOME/.cargo}"/registry/{src,cache}/-*/crdkit-*
    cargo package --no-verify --package crdkit-core --package crdkit-macros --package crdkit --package crdkit-api-server --package crdkit-tools --package cargo-crdkit

# The published crates, from their tarballs, with the oldest compiler and the oldest versions of what they depend on.
oldest: package
    rustup toolchain install {{ oldest_rust }} --profile minimal --no-self-update
    just _oldest crdkit 'crdkit-core crdkit-macros crdkit' --features {{ unit_features }},bytes,chrono,url,uuid
    just _oldest crdkit-api-server 'crdkit-core crdkit-macros crdkit crdkit-api-server' --all-features
    just _oldest crdkit-tools 'crdkit-core crdkit-macros crdkit crdkit-api-server crdkit-tools' --all-features --features crdkit/latest
    just _oldest cargo-crdkit 'crdkit-core cargo-crdkit'

# Checks a package, in a workspace of these crates: others would demand newer versions.
_oldest package crates *args:
    #!/usr/bin/env bash
    set -euo pipefail
    rm -rf target/oldest/{{ package }} && mkdir -p target/oldest/{{ package }} && cd target/oldest/{{ package }}
    printf '[workspace]\nresolver = "3"\nmembers = ["*crdkit*"]\n\n[patch.crates-io]\n' > Cargo.toml
    for crate in {{ crates }}; do
        mkdir "$crate"
        tar --extract --touch --file ../../package/"$crate"-[0-9]*.crate --directory "$crate" --strip-components 1
        awk '/^\[/ { skip = /dev-dependencies/ } !skip' "$crate/Cargo.toml" > manifest && mv manifest "$crate/Cargo.toml"
        echo "$crate = { path = \"$crate\" }" >> Cargo.toml
    done
    RUSTC_BOOTSTRAP=1 cargo update --quiet -Z direct-minimal-versions
    CARGO_PROFILE_DEV_DEBUG=false CARGO_TARGET_DIR=../build cargo +{{ oldest_rust }} check --package {{ package }} {{ args }}

# What the last release would break of its users; nothing before the first release.
semver:
    cargo semver-checks --package crdkit-core --package crdkit --package crdkit-api-server --package crdkit-tools

# The tests of the benchmarks, two of which call servers in Go: they take two minutes, and `just test` leaves them out.
bench-tests:
    cargo test --workspace --bin api-server --bin client --bin compile-time --bin controller --bin informer --bin operator-build --bin webhook

# The suites of others' clients on `crdkit-api-server`, or those that begin with one of the names. What they need is fetched.
clients *suites:
    tests/clients/run.py {{ suites }}

# How many functions crdkit's operator compiles in its own crate, and the modules that they are because of.
functions:
    cargo run --package crdkit-benches --bin operator-build -- --functions

# A benchmark: api-server, cel, compile-time, client, controller, informer, operator-build, validate, webhook.
bench name *args:
    cargo run --release --package crdkit-benches --bin {{ name }} -- {{ args }}
