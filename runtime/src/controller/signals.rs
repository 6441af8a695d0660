//! The signals that end the process.

use std::{io, process, thread};

use futures_util::future::{Either, select};
use tokio::{runtime, sync::oneshot};

use crate::informer::shutdown_signal;

/// The handlers of SIGTERM and SIGINT: the first signal is received, and the second one ends the process at once.
///
/// A thread of its own waits for them, because reconcile functions may block all others. It ends when this is dropped.
pub(super) struct ShutdownSignals {
    first: Option<oneshot::Receiver<()>>,
    _ended: Option<oneshot::Sender<()>>,
}

impl ShutdownSignals {
    /// Installs the handlers.
    pub(super) fn install() -> Self {
        match Self::try_install() {
            Ok(signals) => signals,
            Err(error) => {
                tracing::warn!(%error, "a second signal does not end the process, because its thread cannot be started");
                Self { first: None, _ended: None }
            }
        }
    }

    fn try_install() -> io::Result<Self> {
        let (send_first, first) = oneshot::channel();
        let (ended, end) = oneshot::channel::<()>();
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let mut signals = {
            let _context = runtime.enter();
            Signals::new()?
        };
        let wait = async move {
            signals.next().await;
            let _ = send_first.send(());
            let second = signals.next().await;
            tracing::error!("a second signal ends the process at once");
            process::exit(128 + second);
        };
        let run = move || {
            let ended: Either<_, _> = runtime.block_on(select(Box::pin(wait), end));
            drop(ended);
        };
        thread::Builder::new().name("crdkit-signals".to_owned()).spawn(run)?;
        Ok(Self { first: Some(first), _ended: Some(ended) })
    }

    /// Waits for the first signal.
    pub(super) async fn first(&mut self) {
        match &mut self.first {
            // The thread sends before it ends.
            Some(first) => drop(first.await),
            None => shutdown_signal().await,
        }
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Returns the number of the next signal.
    async fn next(&mut self) -> i32 {
        use tokio::signal::unix::SignalKind;
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt().as_raw_value(),
            _ = self.terminate.recv() => SignalKind::terminate().as_raw_value(),
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> i32 {
        let _ = tokio::signal::ctrl_c().await;
        2
    }
}
