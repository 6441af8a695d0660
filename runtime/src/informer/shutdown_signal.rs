//! Signals that request the end of the process.

use std::{future::pending, io};

use tokio::signal::ctrl_c;

/// Waits for SIGTERM or SIGINT.
///
/// Kubernetes sends SIGTERM to end the containers of a Pod. A terminal sends SIGINT on ctrl-c.
///
/// Kubernetes kills a container that has not exited [30
/// seconds](https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination) later, unless the Pod
/// sets a different `terminationGracePeriodSeconds`. After the first call of this function, neither signal ends the
/// process by default any more. On systems without SIGTERM, only ctrl-c is handled.
///
/// ```no_run
/// use crdkit::informer::{Action, Informers, shutdown_signal};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(client: crdkit::Client) -> Result<(), crdkit::informer::RunError> {
/// let pods = Informers::new(client).of::<Pod>().start();
/// let work = pods.reconciler().until(shutdown_signal());
/// work.run(8, async |key| {
///     println!("{key} has changed");
///     Ok::<_, std::convert::Infallible>(Action::Done)
/// })
/// .await
/// # }
/// ```
///
/// # Panics
///
/// Panics if it is awaited outside a tokio runtime with I/O enabled.
#[doc(alias("SIGTERM", "SetupSignalHandler", "shutdown_on_signal"))]
pub async fn shutdown_signal() {
    tokio::select! {
        () = received(ctrl_c()) => {}
        () = received(terminate()) => {}
    }
}

/// Waits for a signal; forever, if its handler cannot be installed.
async fn received(signal: impl Future<Output = io::Result<()>>) {
    if let Err(error) = signal.await {
        tracing::warn!("failed to install a handler for a shutdown signal: {error}");
        pending::<()>().await;
    }
}

#[cfg(unix)]
async fn terminate() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}

#[cfg(not(unix))]
async fn terminate() -> io::Result<()> {
    pending::<()>().await;
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        future::ready,
        pin::pin,
        process::{self, Command},
        time::Duration,
    };

    use tokio::{select, time::timeout};

    use super::*;

    #[tokio::test]
    async fn both_signals_complete_the_future() {
        for signal in ["-TERM", "-INT"] {
            let mut ended = pin!(shutdown_signal());
            select! {
                biased;
                () = &mut ended => panic!("no signal was sent"),
                () = ready(()) => {}
            }
            let pid = process::id().to_string();
            let sent = Command::new("kill").args([signal, &pid]).status();
            assert!(sent.unwrap().success());
            timeout(Duration::from_secs(10), ended).await.expect(signal);
        }
    }
}
