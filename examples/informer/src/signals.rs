use std::future::pending;

use tokio::signal::ctrl_c;

/// Waits until somebody presses ctrl-c, or until Kubernetes ends the Pod.
pub async fn asked_to_stop() {
    tokio::select! {
        Ok(()) = ctrl_c() => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => drop(terminate.recv().await),
        Err(_) => pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    pending().await
}
