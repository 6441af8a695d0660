use std::{
    io::{self, Write},
    ops::{Deref, DerefMut},
    sync::OnceLock,
};

use crdkit_api_server::{ControlPlane as Plane, ControlPlaneBackup, ControlPlaneError};
use kube::Client;

use crate::connection::Connection;

/// A control plane, and the requests of tests to it.
pub struct ControlPlane {
    plane: Owned,
    connection: Connection,
}

/// A control plane of the caller, or the shared one of the process.
enum Owned {
    Own(Box<Plane>),
    Shared(&'static Plane),
}

impl ControlPlane {
    /// The control plane of this test binary, started by the first call.
    ///
    /// `None` if the machine has neither the programs nor the tools to build them, which is reported on standard error.
    ///
    /// # Panics
    ///
    /// Instead of `None` if `CRDKIT_REQUIRE_CONTROL_PLANE=1`, and if the programs are there but do not start.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Result<Option<ControlPlane>, String>> = OnceLock::new();
        let start = || Plane::shared().map(Owned::Shared).map_err(Failure::of);
        match SHARED.get_or_init(|| Self::unless_replaced(start)) {
            Ok(plane) => plane.as_ref(),
            Err(error) => panic!("{error}"),
        }
    }

    /// Starts a control plane for the caller, which ends when it is dropped. `None` as for [`Self::shared`].
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// As [`Self::start`], with more flags for kube-apiserver, such as `--emulated-version=kube=1.35`.
    pub fn start_with(flags: &[&str]) -> Option<Self> {
        Self::try_start(flags).unwrap_or_else(|error| panic!("{error}"))
    }

    fn try_start(flags: &[&str]) -> Result<Option<Self>, String> {
        let builder = flags.iter().fold(Plane::builder(), |builder, flag| builder.flag(*flag));
        Self::unless_replaced(|| match builder.start() {
            Ok(plane) => Ok(Owned::Own(Box::new(plane))),
            Err(error) => Err(Failure::of(&error)),
        })
    }

    fn unless_replaced(start: impl FnOnce() -> Result<Owned, Failure>) -> Result<Option<Self>, String> {
        if is_replaced() {
            return Ok(None);
        }
        match start() {
            Ok(plane) => Ok(Some(Self { connection: Connection::open(plane.config()), plane })),
            Err(failure) if failure.is_missing && !is_required() => {
                announce(&format!("NO CONTROL PLANE, so tests that need one are skipped: {}", failure.message));
                Ok(None)
            }
            Err(failure) => Err(failure.message),
        }
    }

    /// Starts a halted control plane again.
    pub fn resume(&mut self) {
        self.deref_mut().resume();
        self.connection = Connection::open(self.plane.config());
    }

    /// Restores a backup, as the control plane does, and opens new connections.
    pub fn restore(&mut self, backup: &ControlPlaneBackup) {
        self.deref_mut().restore(backup);
        self.connection = Connection::open(self.plane.config());
    }

    /// Ends the control plane and removes its data, as dropping does.
    pub fn stop(self) {}

    /// A client for the caller's runtime, since a client does not outlive the runtime that created it.
    pub fn client(&self) -> Client {
        self.plane.kube_client()
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Deref for ControlPlane {
    type Target = Plane;

    fn deref(&self) -> &Plane {
        &self.plane
    }
}

impl DerefMut for ControlPlane {
    fn deref_mut(&mut self) -> &mut Plane {
        match &mut self.plane {
            Owned::Own(plane) => plane,
            Owned::Shared(_) => panic!("other tests use this control plane"),
        }
    }
}

impl Deref for Owned {
    type Target = Plane;

    fn deref(&self) -> &Plane {
        match self {
            Self::Own(plane) => plane,
            Self::Shared(plane) => plane,
        }
    }
}

/// Why there is no control plane.
struct Failure {
    message: String,
    /// Whether the programs are missing.
    is_missing: bool,
}

impl Failure {
    fn of(error: &ControlPlaneError) -> Self {
        use ControlPlaneError::{Build, NoPrograms};
        Self { message: error.to_string(), is_missing: matches!(error, NoPrograms { .. } | Build { .. }) }
    }
}

/// Returns whether the tests use the API server in the process only.
fn is_replaced() -> bool {
    std::env::var("CRDKIT_API_SERVER").is_ok_and(|server| server == "process")
}

fn is_required() -> bool {
    std::env::var("CRDKIT_REQUIRE_CONTROL_PLANE").is_ok_and(|value| value == "1")
}

/// Writes to standard error past the capture of the test runner, which hides what passing tests print.
pub fn announce(message: &str) {
    let _ = writeln!(io::stderr(), "\n==> {message}\n");
}
