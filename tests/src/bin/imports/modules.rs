//! The files with definitions of public projects, which Go downloads.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crdkit_tests::files_below;
use serde_json::Value;

/// A Go module and its version in each line.
const MODULES: &str = include_str!("modules.txt");

/// Folders whose definitions are for tests of the project, or another project's.
const SKIPPED: &[&str] = &["testdata", "/test/", "vendor", "fixture"];

/// Copies the files of all modules that contain definitions into a directory.
pub(crate) fn fetch(output: &Path) -> Result<(), Box<dyn Error>> {
    for line in MODULES.lines() {
        let (module, version) = line.split_once(' ').ok_or("a line has a module and a version")?;
        let source = download(module, version)?;
        let target = output.join(module.replace('/', "_"));
        fs::create_dir_all(&target)?;
        let mut count = 0;
        for file in files_below(&source).iter().filter(|file| has_definitions(file)) {
            let name = file.strip_prefix(&source)?.display().to_string();
            if SKIPPED.iter().any(|folder| format!("/{name}").to_lowercase().contains(folder)) {
                continue;
            }
            fs::write(target.join(name.replace('/', "__")), fs::read(file)?)?;
            count += 1;
        }
        println!("{module} {version}: {count} files");
    }
    Ok(())
}

/// Returns the folder of a module in Go's cache.
fn download(module: &str, version: &str) -> Result<PathBuf, Box<dyn Error>> {
    let mut go = Command::new("go");
    // Some modules need a newer Go, which Go downloads, too.
    go.args(["mod", "download", "-json", &format!("{module}@{version}")]).env("GOTOOLCHAIN", "auto");
    let output = go.output()?;
    let downloaded: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    match downloaded["Dir"].as_str() {
        Some(directory) => Ok(directory.into()),
        None => {
            let error = String::from_utf8_lossy(&output.stderr);
            Err(format!("{module} {version}: {}{error}", downloaded["Error"].as_str().unwrap_or_default()).into())
        }
    }
}

fn has_definitions(file: &Path) -> bool {
    let is_yaml = file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let text = if is_yaml { fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    text.lines().any(|line| line.starts_with("kind: CustomResourceDefinition"))
}
