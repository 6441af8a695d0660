use std::{env, process::Command};

/// Keeps what cargo sets for the package of a test from a command that runs cargo, whose build scripts would run again because of it,
/// such as that of ring, with everything that depends on them.
pub fn remove_package_variables(command: &mut Command) {
    let is_of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_package)) {
        command.env_remove(name);
    }
}
