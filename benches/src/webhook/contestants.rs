//! The contestants: the implementations that are compared.

mod axum;
mod crdkit;

use std::{net::SocketAddr, path::Path, process::Command};

use anyhow::{Result, bail};
use crdkit_benches::{GoProgram, itself};

/// A server of webhooks of some making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    Crdkit,
    /// axum, with kube's types of reviews, and the rest by hand.
    Axum,
    ControllerRuntime,
}

impl Contestant {
    pub(crate) const ALL: [Self; 3] = [Self::Crdkit, Self::Axum, Self::ControllerRuntime];

    /// The word for it on a command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Crdkit => "crdkit",
            Self::Axum => "axum",
            Self::ControllerRuntime => "controller-runtime",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contestant| contestant.word() == word)
    }

    /// The program that serves with the certificate of a folder; `None` without Go.
    pub(crate) fn command(self, go: Option<&GoProgram>, folder: &Path) -> Result<Option<Command>> {
        let mut command = match (self, go) {
            (Self::ControllerRuntime, None) => return Ok(None),
            (Self::ControllerRuntime, Some(go)) => go.command(),
            _ => {
                let mut command = itself()?;
                command.args(["serve", self.word()]);
                command
            }
        };
        command.arg(folder);
        Ok(Some(command))
    }

    /// Serves, in this process.
    pub(crate) async fn serve(self, folder: &Path) -> Result<SocketAddr> {
        match self {
            Self::Crdkit => crdkit::serve(folder).await,
            Self::Axum => axum::serve(folder).await,
            Self::ControllerRuntime => bail!("controller-runtime is another program"),
        }
    }
}
