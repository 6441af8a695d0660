use std::{future::pending, pin::pin};

use tokio::sync::watch;

/// Whether the server can be reached.
pub(super) struct Link(watch::Sender<State>);

#[derive(Clone, Copy, PartialEq)]
struct State {
    is_up: bool,
    /// How often all connections were ended.
    cuts: u64,
    /// How often all connections fell silent.
    silences: u64,
}

/// What ends one connection.
pub(super) struct EndOfConnection(watch::Receiver<State>);

impl Default for Link {
    fn default() -> Self {
        Self(watch::Sender::new(State { is_up: true, cuts: 0, silences: 0 }))
    }
}

impl Link {
    pub(super) fn go_down(&self) {
        self.0.send_modify(|state| {
            state.is_up = false;
            state.cuts += 1;
        });
    }

    pub(super) fn come_up(&self) {
        self.0.send_modify(|state| state.is_up = true);
    }

    pub(super) fn fall_silent(&self) {
        self.0.send_modify(|state| state.silences += 1);
    }

    pub(super) fn end_of_connection(&self) -> EndOfConnection {
        EndOfConnection(self.0.subscribe())
    }
}

impl EndOfConnection {
    /// Serves a connection until it is cut. Once it has fallen silent it is kept open, and not served.
    pub(super) async fn unless(mut self, serve: impl Future<Output = ()>) {
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
            let is_silent = now.silences != first.silences;
            let served = async {
                match is_silent {
                    true => pending().await,
                    false => serve.as_mut().await,
                }
            };
            tokio::select! {
                // What is cut tells nothing any more, whatever it had to tell.
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
