//! `cargo crdkit new`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use minijinja::context;
use serde_json::json;

use crate::{
    command_line::{Format, KindArguments, NewArguments},
    error::Error,
    files::Changes,
    names::{Group, Kind, check_file_names},
    project,
    prompt::or_prompt,
    templates::{self, CONTROLLER, CustomResource, KIND, PROJECT_FILES, Project, render},
};

/// The packages that a project depends on, and their folders in a clone of the repository.
const PACKAGES: [(&str, &str); 3] =
    [("runtime", "crdkit"), ("api-server", "crdkit-api-server"), ("tools", "crdkit-tools")];

/// Creates a project.
pub(crate) fn new(arguments: NewArguments) -> Result<(), Error> {
    let directory = PathBuf::from(arguments.name.to_string());
    let is_in_use = is_in_use(&directory);
    // Only what a `new` that was interrupted, or whose build failed, has written is completed.
    if is_in_use && (arguments.no_build || directory.join("manifests").exists()) {
        return Err(Error::DirectoryInUse(directory));
    }
    let [crdkit, crdkit_api_server, crdkit_tools] = crdkit_sources(arguments.crdkit.as_deref())?;
    let kind = custom_resource(arguments.kind)?;
    let name = arguments.name.to_string();
    let project =
        Project { crate_name: arguments.name.crate_name(), name, crdkit, crdkit_api_server, crdkit_tools, kind };
    let mut changes = changes(&project);
    changes.format(Path::new("."));
    if is_in_use && !changes.continue_in(&directory) {
        return Err(Error::DirectoryInUse(directory));
    }
    let is_json = matches!(arguments.format, Some(Format::Json));
    for path in changes.write(&directory)? {
        let path = directory.join(path);
        if is_json {
            println!("{}", json!({ "state": "created", "path": path }));
        } else {
            println!("  created {}", path.display());
        }
    }
    if !arguments.no_build {
        if !is_json {
            println!("\nThe project writes its manifests itself. It is built now:\n");
        }
        project::write_manifests(&directory, is_json)?;
    }
    if !is_json {
        print_next_steps(&project, arguments.no_build);
    }
    Ok(())
}

fn is_in_use(directory: &Path) -> bool {
    let has_entries = fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    has_entries || directory.is_file()
}

/// Returns the keys of the dependencies on the packages of [`PACKAGES`]: paths, or the repository of this program.
fn crdkit_sources(path: Option<&Path>) -> Result<[String; 3], Error> {
    let Some(path) = path else {
        let repository = format!("git = {:?}", env!("CARGO_PKG_REPOSITORY"));
        return Ok(PACKAGES.map(|_| repository.clone()));
    };
    let no_crdkit = || Error::NoCrdkit(path.to_owned());
    let given = path.canonicalize().map_err(|_| no_crdkit())?;
    let clone = if has_package(&given, "crdkit") { given.parent().ok_or_else(no_crdkit)? } else { &given };
    if !PACKAGES.iter().all(|(folder, package)| has_package(&clone.join(folder), package)) {
        return Err(no_crdkit());
    }
    Ok(PACKAGES.map(|(folder, _)| format!("path = {:?}", clone.join(folder).display().to_string())))
}

/// Whether a directory has a package.
fn has_package(directory: &Path, package: &str) -> bool {
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    let table = manifest.split("\n[").find_map(|table| table.trim_start_matches('[').strip_prefix("package]"));
    let mut keys = table.into_iter().flat_map(str::lines).filter_map(|line| line.split_once('='));
    let name = format!("{package:?}");
    keys.any(|(key, value)| key.trim() == "name" && value.split('#').next().unwrap_or_default().trim() == name)
}

/// Returns what the arguments describe, and the answers to questions where they are incomplete.
pub(crate) fn custom_resource(arguments: KindArguments) -> Result<CustomResource, Error> {
    let group: Group = or_prompt(arguments.group, "group", "API group, such as cars.example.com")?;
    let kind: Kind = or_prompt(arguments.kind, "kind", "Kind, such as Car")?;
    check_file_names(&group, &arguments.api_version, &kind).map_err(Error::Name)?;
    Ok(CustomResource {
        is_namespaced: !arguments.cluster_scoped,
        has_controller: !arguments.no_controller,
        ..CustomResource::new(&group, &arguments.api_version, &kind)
    })
}

fn changes(project: &Project) -> Changes {
    let mut changes = Changes::default();
    for (path, template) in PROJECT_FILES {
        changes.create(*path, templates::render(template, project));
    }
    create_kind(&mut changes, &project.kind);
    changes
}

/// Adds the files of a custom resource.
pub(crate) fn create_kind(changes: &mut Changes, kind: &CustomResource) {
    changes.create(format!("src/{}.rs", kind.module), render(KIND, kind));
    if kind.has_controller {
        create_controller(changes, &kind.kind, &kind.module, kind.is_namespaced);
    }
}

/// Adds the file of a controller.
pub(crate) fn create_controller(changes: &mut Changes, kind: &str, module: &str, is_namespaced: bool) {
    changes.create(format!("src/{module}/controller.rs"), render(CONTROLLER, context! { kind, is_namespaced }));
}

fn print_next_steps(project: &Project, without_manifests: bool) {
    println!("\nNext:\n  cd {}", project.name);
    if without_manifests {
        println!("  cargo run --bin crds -- write   # writes the manifests");
    }
    println!("  cargo test                      # runs the operator on an API server in the process");
    println!("  cargo crdkit dev                # runs it on such a server, and again after each change");
    println!("  cargo run                       # runs it with the current context of kubectl");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crdkit_is_found_in_a_clone_and_as_a_package() {
        let clone = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().canonicalize().unwrap();
        let packages = PACKAGES.map(|(folder, _)| format!("path = {:?}", clone.join(folder).display().to_string()));
        for path in [clone.clone(), clone.join("runtime")] {
            assert_eq!(crdkit_sources(Some(&path)).unwrap(), packages);
        }
        for path in [clone.join("core"), clone.join("cli"), clone.join("runtime/src"), clone.join("nowhere")] {
            let error = crdkit_sources(Some(&path)).unwrap_err().to_string();
            assert!(error.contains("a clone of its repository"), "{error}");
        }
    }
}
