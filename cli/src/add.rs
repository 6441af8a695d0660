//! `cargo crdkit add`.

use std::path::{Path, PathBuf};

use crate::{
    command_line::{Addition, KindArguments},
    error::Error,
    files::{Changes, read},
    marked_list::add_line,
    names::Kind,
    new::{create_controller, create_kind, custom_resource},
    project,
};

const LIBRARY: &str = "src/lib.rs";

/// Extends the project in the current directory.
pub(crate) fn add(addition: Addition) -> Result<(), Error> {
    let project = project::find()?;
    let changes = match addition {
        Addition::Kind(arguments) => kind(&project, arguments)?,
        Addition::Controller { kind, cluster_scoped } => controller(&project, &kind, cluster_scoped)?,
    };
    let created = changes.created();
    let written = changes.write(&project)?;
    project::format(&project, &created);
    for path in written {
        println!("  wrote {}", path.display());
    }
    println!("\nNext:\n  cargo run --bin crds -- write\n  cargo test");
    Ok(())
}

fn kind(project: &Path, arguments: KindArguments) -> Result<Changes, Error> {
    let kind = custom_resource(arguments)?;
    let mut library = Edited::read(project, LIBRARY.into())?;
    library.add("modules", &format!("pub mod {};", kind.module))?;
    library.add("kinds", &format!("let crds = crds.add::<{}::{}>();", kind.module, kind.kind))?;
    if kind.has_controller {
        add_controller(&mut library, &kind.module)?;
    }
    let mut changes = Changes::default();
    create_kind(&mut changes, &kind);
    library.replace(&mut changes);
    Ok(changes)
}

fn controller(project: &Path, kind: &Kind, is_cluster_scoped: bool) -> Result<Changes, Error> {
    let path = PathBuf::from(format!("src/{}.rs", kind.module()));
    if !project.join(&path).is_file() {
        return Err(Error::NoKind { kind: kind.to_string(), module: path });
    }
    let mut module = Edited::read(project, path)?;
    module.add("modules", "mod controller;")?;
    module.add("uses", "pub use controller::controller;")?;
    let mut library = Edited::read(project, LIBRARY.into())?;
    add_controller(&mut library, &kind.module())?;
    let mut changes = Changes::default();
    create_controller(&mut changes, &kind.to_string(), &kind.module(), !is_cluster_scoped);
    module.replace(&mut changes);
    library.replace(&mut changes);
    Ok(changes)
}

fn add_controller(library: &mut Edited, module: &str) -> Result<(), Error> {
    library.add("controllers", &format!("{module}::controller(),"))
}

/// A file with lists that are extended.
struct Edited {
    path: PathBuf,
    text: String,
}

impl Edited {
    fn read(project: &Path, path: PathBuf) -> Result<Self, Error> {
        let text = read(project, &path)?;
        Ok(Self { path, text })
    }

    fn add(&mut self, list: &'static str, line: &str) -> Result<(), Error> {
        self.text = add_line(&self.path, &self.text, list, line)?;
        Ok(())
    }

    fn replace(self, changes: &mut Changes) {
        changes.replace(self.path, self.text);
    }
}
