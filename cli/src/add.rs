//! `cargo crdkit add`.

use std::path::{Path, PathBuf};

use minijinja::context;
use serde_json::json;

use crate::{
    command_line::{AddArguments, Addition, Format, KindArguments},
    error::{Error, UnexpectedCode},
    files::{Changes, read},
    insertion_points::{add_line, replace_line},
    names::{Kind, Version},
    new::{create_controller, create_kind, custom_resource},
    project,
    spec_struct::SpecStruct,
    templates::{VERSION, VERSIONS, WEBHOOK, WEBHOOKS, render},
};

const LIBRARY: &str = "src/lib.rs";

/// Extends the project in the current directory.
pub(crate) fn add(arguments: AddArguments) -> Result<(), Error> {
    let format = arguments.format;
    let project = project::find()?;
    let mut changes = match arguments.what {
        Addition::Kind(arguments) => kind(&project, arguments)?,
        Addition::Version { kind, version } => self::version(&project, &kind, &version)?,
        Addition::Webhook { kind } => webhook(&project, &kind)?,
        Addition::Controller { kind } => controller(&project, &kind)?,
    };
    changes.format(&project);
    for path in changes.write(&project)? {
        match format {
            Some(Format::Json) => println!("{}", json!({ "state": "wrote", "path": path })),
            _ => println!("  wrote {}", path.display()),
        }
    }
    if !matches!(format, Some(Format::Json)) {
        println!("\nNext:\n  cargo run --bin crds -- write\n  cargo test");
    }
    Ok(())
}

fn kind(project: &Path, arguments: KindArguments) -> Result<Changes, Error> {
    let kind = custom_resource(arguments)?;
    let mut library = Edited::read(project, LIBRARY.into())?;
    library.add("modules", &format!("pub mod {};", kind.module));
    library.add("kinds", &format!("let crds = crds.add::<{}::{}>();", kind.module, kind.kind));
    if kind.has_controller {
        add_controller(&mut library, &kind.module);
    }
    let mut changes = Changes::default();
    create_kind(&mut changes, &kind);
    library.write(&mut changes);
    Ok(changes)
}

/// Adds a version, which converts to the one that is there: what uses its types remains as it is.
fn version(project: &Path, kind: &Kind, version: &Version) -> Result<Changes, Error> {
    let (name, version, version_module) = (kind.module(), version.to_string(), version.module());
    let mut module = Edited::of_kind(project, kind)?;
    let spec = SpecStruct::find(&module.path, &module.text, &kind.to_string())?;
    if spec.version == version {
        return Err(Error::VersionExists { version, module: module.path });
    }
    let mut changes = Changes::default();
    let mut library = Edited::read(project, LIBRARY.into())?;
    let mut webhooks = Edited::webhooks(project, &mut library)?;
    let versions = PathBuf::from(format!("src/{name}/versions.rs"));
    let mut versions = if project.join(&versions).is_file() {
        Edited::read(project, versions)?
    } else {
        module.add("modules", "mod versions;");
        module.add("uses", "pub use versions::versions;");
        let old = format!("let crds = crds.add::<{name}::{kind}>();");
        let new = format!("let crds = crds.add_versions(webhooks::converted(&{name}::versions()));");
        library.replace_line("kinds", &old, &new);
        webhooks.add("converters", &format!("crate::{name}::versions().converter(),"));
        Edited::new(versions, render(VERSIONS, context! { kind => kind.to_string() }))
    };
    module.add("modules", &format!("pub mod {version_module};"));
    versions.add("versions", &format!("let versions = versions.spoke::<super::{version_module}::{kind}>();"));
    let hub = format!("super::{kind}");
    let is_namespaced = spec.is_namespaced();
    let text = spec.in_version(&version, &hub);
    let context = context! { kind => kind.to_string(), version, hub => spec.version, spec => text, is_namespaced };
    changes.create(format!("src/{name}/{version_module}.rs"), render(VERSION, context));
    [module, library, webhooks, versions].into_iter().for_each(|edited| edited.write(&mut changes));
    Ok(changes)
}

fn webhook(project: &Path, kind: &Kind) -> Result<Changes, Error> {
    let name = kind.module();
    let mut module = Edited::of_kind(project, kind)?;
    let spec = SpecStruct::find(&module.path, &module.text, &kind.to_string())?;
    let mut library = Edited::read(project, LIBRARY.into())?;
    let mut webhooks = Edited::webhooks(project, &mut library)?;
    module.add("modules", "mod webhook;");
    module.add("uses", "pub use webhook::webhook;");
    webhooks.add("webhooks", &format!("crate::{name}::webhook(),"));
    let mut changes = Changes::default();
    let context = context! { kind => kind.to_string(), is_namespaced => spec.is_namespaced() };
    changes.create(format!("src/{name}/webhook.rs"), render(WEBHOOK, context));
    [module, library, webhooks].into_iter().for_each(|edited| edited.write(&mut changes));
    Ok(changes)
}

fn controller(project: &Path, kind: &Kind) -> Result<Changes, Error> {
    let mut module = Edited::of_kind(project, kind)?;
    let spec = SpecStruct::find(&module.path, &module.text, &kind.to_string())?;
    module.add("modules", "mod controller;");
    module.add("uses", "pub use controller::controller;");
    let mut library = Edited::read(project, LIBRARY.into())?;
    add_controller(&mut library, &kind.module());
    let mut changes = Changes::default();
    create_controller(&mut changes, &kind.to_string(), &kind.module(), spec.is_namespaced());
    module.write(&mut changes);
    library.write(&mut changes);
    Ok(changes)
}

fn add_controller(library: &mut Edited, module: &str) {
    library.add("controllers", &format!("{module}::controller(),"));
}

/// A file with lists that are extended.
struct Edited {
    path: PathBuf,
    text: String,
    /// Whether the file does not exist yet.
    is_new: bool,
    /// What cannot be edited.
    unexpected: Vec<UnexpectedCode>,
}

impl Edited {
    fn new(path: PathBuf, text: String) -> Self {
        Self { path, text, is_new: true, unexpected: Vec::new() }
    }

    fn read(project: &Path, path: PathBuf) -> Result<Self, Error> {
        let text = read(project, &path)?;
        Ok(Self { path, text, is_new: false, unexpected: Vec::new() })
    }

    /// Reads the module of a kind.
    fn of_kind(project: &Path, kind: &Kind) -> Result<Self, Error> {
        let path = PathBuf::from(format!("src/{}.rs", kind.module()));
        if project.join(&path).is_file() {
            Self::read(project, path)
        } else {
            Err(Error::NoKind { kind: kind.to_string(), module: path })
        }
    }

    /// Reads the list of webhooks, or creates it and adds it to the library.
    fn webhooks(project: &Path, library: &mut Self) -> Result<Self, Error> {
        let path = PathBuf::from("src/webhooks.rs");
        if project.join(&path).is_file() {
            return Self::read(project, path);
        }
        library.add("modules", "pub mod webhooks;");
        library.add("manager", "let manager = webhooks::serve(manager, &client);");
        library.add("manifests", "let crds = webhooks::register(crds);");
        Ok(Self::new(path, WEBHOOKS.to_owned()))
    }

    fn replace_line(&mut self, list: &str, old: &str, new: &str) {
        self.set(replace_line(&self.path, &self.text, list, old, new));
    }

    fn add(&mut self, list: &'static str, line: &str) {
        self.set(add_line(&self.path, &self.text, list, line));
    }

    fn set(&mut self, text: Result<String, UnexpectedCode>) {
        match text {
            Ok(text) => self.text = text,
            Err(unexpected) => self.unexpected.push(unexpected),
        }
    }

    fn write(self, changes: &mut Changes) {
        changes.refuse(self.unexpected);
        if self.is_new { changes.create(self.path, self.text) } else { changes.replace(self.path, self.text) }
    }
}
