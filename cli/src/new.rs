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

/// Creates a project.
pub(crate) fn new(arguments: NewArguments) -> Result<(), Error> {
    let directory = PathBuf::from(arguments.name.to_string());
    check_empty(&directory)?;
    let crdkit = crdkit_source(arguments.crdkit.as_deref())?;
    let kind = custom_resource(arguments.kind)?;
    let name = arguments.name.to_string();
    let project = Project { crate_name: arguments.name.crate_name(), name, crdkit, kind };
    let mut changes = changes(&project);
    changes.format(Path::new("."));
    let is_json = matches!(arguments.format, Some(Format::Json));
    for path in changes.write(&directory)? {
        let path = directory.join(path);
        match is_json {
            true => println!("{}", json!({ "state": "created", "path": path })),
            false => println!("  created {}", path.display()),
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

fn check_empty(directory: &Path) -> Result<(), Error> {
    let is_in_use = fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    match is_in_use || directory.is_file() {
        true => Err(Error::DirectoryInUse(directory.to_owned())),
        false => Ok(()),
    }
}

/// Returns the keys of the dependency on crdkit: a path, or the repository of this program.
fn crdkit_source(path: Option<&Path>) -> Result<String, Error> {
    let Some(path) = path else {
        return Ok(format!("git = {:?}", env!("CARGO_PKG_REPOSITORY")));
    };
    let found = path.canonicalize().ok().filter(|path| path.join("Cargo.toml").is_file());
    let found = found.ok_or_else(|| Error::NoCrdkit(path.to_owned()))?;
    Ok(format!("path = {:?}", found.display().to_string()))
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
