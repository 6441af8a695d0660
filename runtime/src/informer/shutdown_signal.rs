//! When Kubernetes, or somebody at a terminal, ends the program.

use std::{future::pending, io};

use tokio::signal::ctrl_c;

/// Waits until the process is asked to end: by SIGTERM, as Kubernetes ends the containers of a Pod, or by SIGINT, as ctrl-c does.
///
/// Kubernetes kills a container that has not ended
/// [30 seconds](https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination) later, unless the Pod sets
/// another `terminationGracePeriodSeconds`. From the first call on, neither signal ends the process by itself. On systems without
/// SIGTERM it is ctrl-c alone.
///
/// ```no_run
/// use crdkit::informer::{Action, Informers, shutdown_signal};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(client: crdkit::Client) -> Result<(), crdkit::informer::RunError> {
/// let pods = Informers::new(client).of::<Pod>().start();
/// let work = pods.queue().until(shutdown_signal());
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
/// If it is not awaited in a runtime of tokio whose I/O is enabled.
#[doc(alias("SIGTERM", "SetupSignalHandler", "shutdown_on_signal"))]
pub async fn shutdown_signal() {
    tokio::select! {
        () = received(ctrl_c()) => {}
        () = received(terminate()) => {}
    }
}

/// What cannot be listened for never comes.
async fn received(signal: impl Future<Output = io::Result<()>>) {
    if let Err(error) = signal.await {
        tracing::warn!("a signal to shut down will not be seen: {error}");
        pending().await
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
    pending().await
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
    async fn both_signals_end_the_wait() {
        for signal in ["-TERM", "-INT"] {
            let mut ended = pin!(shutdown_signal());
            select! {
                biased;
                () = &mut ended => panic!("nobody has sent a signal"),
                () = ready(()) => {}
            }
            let pid = process::id().to_string();
            let sent = Command::new("kill").args([signal, &pid]).status();
            assert!(sent.unwrap().success());
            timeout(Duration::from_secs(10), ended).await.expect(signal);
        }
    }
}
