//! The commands of the feature `tools`.

use std::{ffi::OsString, io};

use super::Program;
use crate::emit::Crds;

#[cfg(all(feature = "client", feature = "tools"))]
mod cluster;
#[cfg(all(feature = "client", feature = "tools"))]
mod dev;
#[cfg(feature = "tools")]
mod documents;
#[cfg(feature = "tools")]
mod import;
#[cfg(feature = "tools")]
mod lint;

/// A command of the feature `tools`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tool {
    Docs,
    Samples,
    Lint,
    Import,
    Install,
    Uninstall,
    Deploy,
    Dev,
}

impl Tool {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "docs" => Self::Docs,
            "samples" => Self::Samples,
            "lint" => Self::Lint,
            "import" => Self::Import,
            "install" => Self::Install,
            "uninstall" => Self::Uninstall,
            "deploy" => Self::Deploy,
            "dev" => Self::Dev,
            _ => return None,
        })
    }
}

#[cfg(feature = "tools")]
impl Program<'_> {
    pub(super) fn tool(&mut self, tool: Tool, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        match tool {
            Tool::Docs => self.docs(crds, arguments),
            Tool::Samples => self.samples(crds, arguments),
            Tool::Lint => self.lint(crds, arguments),
            Tool::Import => self.import(crds, arguments),
            #[cfg(feature = "client")]
            Tool::Install => self.install(crds, arguments),
            #[cfg(feature = "client")]
            Tool::Uninstall => self.uninstall(crds, arguments),
            #[cfg(feature = "client")]
            Tool::Deploy => self.deploy(crds, arguments),
            #[cfg(feature = "client")]
            Tool::Dev => self.dev(crds, arguments),
            #[cfg(not(feature = "client"))]
            Tool::Install | Tool::Uninstall | Tool::Deploy | Tool::Dev => {
                writeln!(self.err, "error: the commands for a cluster require crdkit's feature `client`")?;
                Ok(super::WRONG_USAGE)
            }
        }
    }
}

#[cfg(not(feature = "tools"))]
impl Program<'_> {
    pub(super) fn tool(&mut self, tool: Tool, _crds: &Crds, _arguments: Vec<OsString>) -> io::Result<u8> {
        let name = format!("{tool:?}").to_lowercase();
        writeln!(self.err, "error: `{name}` requires crdkit's feature `tools`")?;
        Ok(super::WRONG_USAGE)
    }
}
