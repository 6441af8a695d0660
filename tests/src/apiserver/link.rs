use std::{future::pending, pin::pin};

use tokio::sync::watch;

/// Whether the server is reachable.
pub(super) struct Link(watch::Sender<State>);

#[derive(Clone, Copy, PartialEq)]
struct State {
    is_up: bool,
    /// How often all connections were cut.
    cuts: u64,
    /// How often all connections were stalled.
    stalls: u64,
}

/// Ends one connection.
pub(super) struct ConnectionEnd(watch::Receiver<State>);

impl Default for Link {
    fn default() -> Self {
        Self(watch::Sender::new(State { is_up: true, cuts: 0, stalls: 0 }))
    }
}

impl Link {
    pub(super) fn stop_serving(&self) {
        self.0.send_modify(|state| {
            state.is_up = false;
            state.cuts += 1;
        });
    }

    pub(super) fn resume_serving(&self) {
        self.0.send_modify(|state| state.is_up = true);
    }

    pub(super) fn stall_connections(&self) {
        self.0.send_modify(|state| state.stalls += 1);
    }

    pub(super) fn connection_end(&self) -> ConnectionEnd {
        ConnectionEnd(self.0.subscribe())
    }
}

impl ConnectionEnd {
    /// Serves a connection until it is cut. A stalled connection is kept open but not served.
    pub(super) async fn run_until_cut(mut self, serve: impl Future<Output = ()>) {
        let first = *self.0.borrow_and_update();
        if !first.is_up {
            return;
        }
        let mut serve = pin!(serve);
        loop {
            let now = *self.0.borrow_and_update();
            if now.cuts != first.cuts {
                return;
            }
            let is_stalled = now.stalls != first.stalls;
            let served = async { if is_stalled { pending().await } else { serve.as_mut().await } };
            tokio::select! {
                // Nothing is sent after a cut, even if it is pending.
                biased;
                changed = self.0.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
                () = served => return,
            }
        }
    }
}
