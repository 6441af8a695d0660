//! How tests stop, set and move the clock.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::ApiServer;
use crate::clock::{Clock, later};

/// Whether tokio's clock stands still while that of the machine goes on.
fn is_paused() -> bool {
    let (start, machine) = (Instant::now(), std::time::Instant::now());
    while machine.elapsed().is_zero() {}
    Instant::now() == start
}

impl ApiServer {
    /// Stops the clock of the server at a time. All times in objects are then this one, until [`Self::set_time`] or [`Self::pass`].
    ///
    /// Without this, the clock starts with the time of the machine, and goes as tokio's.
    pub fn at(self, time: Timestamp) -> Self {
        self.set_time(time);
        self
    }

    /// Sets the clock of the server, which then stands still.
    pub fn set_time(&self, time: Timestamp) {
        self.clock().stop_at(time);
    }

    /// Moves the clock of the server, which then stands still. [`Self::pass`] also moves the timers of the program.
    pub fn advance(&self, duration: Duration) {
        let clock = self.clock();
        clock.stop_at(later(clock.now(), duration));
    }

    /// Uses the clock of the machine, for a server that runs for days: the one of tokio stands still while the machine is suspended.
    pub fn with_system_time(self) -> Self {
        self.clock().use_system();
        self
    }

    /// Lets time pass in a test, without waiting: the clock of the server goes on, and that of its [client](Self::client), which
    /// controllers follow, and tokio's. What is due in the meantime happens in its order, such as requeues, timeouts and resyncs.
    ///
    /// ```
    /// # use crdkit::{CustomResource, KubeSchema};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "example.com", version = "v1", kind = "Tea", namespaced, status = "TeaStatus")]
    /// # struct TeaSpec { minutes: u32 }
    /// # #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
    /// # struct TeaStatus { is_ready: bool }
    /// use std::{sync::Arc, time::Duration};
    ///
    /// use crdkit::controller::{Action, Context, Controller, Error, Manager};
    /// use crdkit_api_server::ApiServer;
    ///
    /// async fn brew(tea: Arc<Tea>, cx: Context<Tea>) -> Result<Action, Error> {
    ///     let made = tea.metadata.creation_timestamp.as_ref().map_or(cx.now(), |time| time.0);
    ///     let ready = made + Duration::from_secs(60 * u64::from(tea.spec.minutes));
    ///     cx.status(&tea).update(|status| status.is_ready = cx.now() >= ready);
    ///     Ok(if cx.now() < ready { cx.requeue_at(ready) } else { Action::Done })
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?.block_on(async {
    /// let server = ApiServer::new().with::<Tea>().at("2030-01-31T12:00:00Z".parse()?);
    /// tokio::spawn(Manager::new(server.client()).add(Controller::of::<Tea>().reconcile(brew)).run());
    /// let teas = server.client().resources::<Tea>().namespace("default");
    /// teas.create(&Tea::new("green", TeaSpec { minutes: 180 })).await?;
    /// let is_ready = async || teas.status().get("green").await.map(|status| status.is_some_and(|status| status.is_ready));
    ///
    /// server.pass(Duration::from_secs(179 * 60)).await;
    /// assert!(!is_ready().await?);
    /// server.pass(Duration::from_secs(2 * 60)).await;
    /// assert!(is_ready().await?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If tokio's clock is not paused, because the call would wait: use `#[tokio::test(start_paused = true)]`.
    #[track_caller]
    pub fn pass(&self, duration: Duration) -> impl Future<Output = ()> + use<> {
        let clock = self.clock();
        assert!(
            is_paused(),
            "time passes only while tokio's clock is paused: use `#[tokio::test(start_paused = true)]`"
        );
        async move {
            let stood_still = clock.start();
            sleep(duration).await;
            if stood_still {
                clock.stop_at(clock.now());
            }
        }
    }

    pub(super) fn clock(&self) -> Clock {
        self.service.state(|state| state.clock.clone())
    }
}
