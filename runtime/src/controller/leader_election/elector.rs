//! A candidate, and the leader.

use std::sync::Arc;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{JITTER, LeaderElection, now, observation::Observation, wait_for_renewal};
use crate::{
    Client,
    client::{Error, Resources, backoff_formula::random, scope::InNamespace},
    controller::write_fence::Fence,
};

/// A candidate.
pub(in crate::controller) struct Elector {
    settings: LeaderElection,
    leases: Resources<Lease, InNamespace>,
    fence: Arc<Fence>,
    observed: Option<Observation>,
    /// The Lease as this process wrote it last: as the leader, it is written again without reading it first.
    written: Option<Lease>,
    /// A record that was sent, and may have been stored although no response arrived.
    unconfirmed: Option<LeaseSpec>,
    /// Until when this process is the leader.
    deadline: Option<Instant>,
}

impl Elector {
    pub(in crate::controller) fn new(settings: LeaderElection, client: &Client, fence: Arc<Fence>) -> Self {
        let leases = settings.leases(client);
        Self { settings, leases, fence, observed: None, written: None, unconfirmed: None, deadline: None }
    }

    pub(in crate::controller) fn lease(&self) -> &str {
        &self.settings.lease
    }

    /// Waits until this process is the leader.
    pub(in crate::controller) async fn acquire(&mut self) {
        while !self.try_acquire_or_renew().await {
            sleep(self.settings.retry_period.mul_f64(1.0 + JITTER * random())).await;
        }
        tracing::info!(lease = self.lease(), identity = self.settings.identity, "became the leader");
    }

    /// Renews the lease until that fails for too long, or another process has it.
    pub(in crate::controller) async fn renew(&mut self) {
        while let Some(deadline) = self.deadline.filter(|deadline| Instant::now() < *deadline) {
            let attempt = async {
                wait_for_renewal(self.settings.retry_period).await;
                self.try_acquire_or_renew().await
            };
            let _ = timeout_at(deadline, attempt).await;
        }
        tracing::error!(lease = self.lease(), "the lease was lost");
    }

    /// Lets another candidate take over at once, also if [`acquire`](Self::acquire) was dropped while the Lease was being written.
    pub(in crate::controller) async fn release(&mut self) {
        self.fence.set_deadline(None);
        if self.deadline.take().is_none() && self.unconfirmed.is_none() {
            return;
        }
        match timeout(self.settings.renew_deadline, self.try_release()).await {
            Ok(Ok(())) => tracing::info!(lease = self.lease(), "released the lease"),
            Ok(Err(error)) => tracing::warn!(lease = self.lease(), %error, "cannot release the lease"),
            Err(_) => tracing::warn!(lease = self.lease(), "cannot release the lease in time"),
        }
    }

    async fn try_acquire_or_renew(&mut self) -> bool {
        // The deadline counts from before the request: the API server receives it later.
        let started = Instant::now();
        let held = match self.deadline {
            Some(_) => self.try_renew().await,
            None => self.try_acquire().await,
        };
        match held {
            Ok(true) => {
                self.deadline = Some(started + self.settings.renew_deadline);
                self.fence.set_deadline(self.deadline);
                true
            }
            Ok(false) => {
                // Another candidate is the leader, or may be.
                self.deadline = None;
                self.fence.set_deadline(None);
                false
            }
            Err(error) => {
                if !is_outpaced(&error) {
                    tracing::warn!(lease = self.lease(), %error, "cannot acquire or renew the lease");
                }
                false
            }
        }
    }

    /// Returns whether this process holds the lease now.
    async fn try_acquire(&mut self) -> Result<bool, Error> {
        let lease = self.leases.get_opt(&self.settings.lease).await?;
        let record = lease.as_ref().map(|lease| lease.spec.clone().unwrap_or_default());
        let before = self.observed.take();
        // A Lease that is created anew continues those of the deleted one.
        let next = before.as_ref().map_or(0, |before| before.transitions().saturating_add(1));
        let (identity, duration) = (&self.settings.identity, self.settings.lease_duration);
        let observed = Observation::after(before, record, identity, duration);
        let is_over = observed.is_over();
        let record = observed.record().cloned();
        self.observed = Some(observed);
        let is_own = record.is_some() && record == self.unconfirmed;
        if !is_own && !is_over {
            return Ok(false);
        }
        let is_holder = record.as_ref().and_then(holder) == Some(&*self.settings.identity);
        let acquired = record.as_ref().and_then(|record| record.acquire_time.clone()).filter(|_| is_holder);
        let (old, transitions) = match record {
            Some(old) => {
                let transitions = old.lease_transitions.unwrap_or_default();
                (old, transitions.saturating_add(i32::from(acquired.is_none())))
            }
            None => (LeaseSpec::default(), next),
        };
        let acquire_time = acquired.unwrap_or_else(now);
        let record = LeaseSpec { acquire_time: Some(acquire_time), lease_transitions: Some(transitions), ..old };
        self.write(lease, record).await?;
        Ok(true)
    }

    /// Returns whether this process still holds the lease.
    ///
    /// It writes the Lease with the version that it wrote last, as client-go does since 0.30, and reads it only if somebody else has
    /// changed it.
    async fn try_renew(&mut self) -> Result<bool, Error> {
        let Some(written) = self.written.clone() else {
            return Ok(false);
        };
        let record = written.spec.clone().unwrap_or_default();
        match self.write(Some(written), record.clone()).await {
            Err(Error::Conflict(_) | Error::NotFound(_)) => {}
            renewed => return renewed.map(|()| true),
        }
        let lease = self.leases.get_opt(&self.settings.lease).await?;
        let other = lease.as_ref().and_then(|lease| holder(lease.spec.as_ref()?));
        if other.is_some_and(|other| other != self.settings.identity) {
            return Ok(false);
        }
        // Its record was changed or deleted, and no other has taken over: other candidates wait before they do, and only one write
        // to this version succeeds.
        tracing::warn!(lease = self.lease(), "the lease was changed by another program: it is written again");
        self.write(lease, record).await?;
        Ok(true)
    }

    /// Writes a record of this process, if the Lease has not changed since it was read.
    async fn write(&mut self, lease: Option<Lease>, record: LeaseSpec) -> Result<(), Error> {
        let record = LeaseSpec {
            holder_identity: Some(self.settings.identity.clone()),
            lease_duration_seconds: Some(self.settings.lease_seconds()),
            renew_time: Some(now()),
            ..record
        };
        self.unconfirmed = Some(record.clone());
        let written = match lease {
            Some(mut lease) => {
                lease.spec = Some(record);
                self.leases.replace(&lease).await
            }
            None => {
                let mut lease = Lease::default();
                lease.metadata.name = Some(self.settings.lease.clone());
                lease.spec = Some(record);
                self.leases.create(&lease).await
            }
        };
        if written.is_ok() || written.as_ref().is_err_and(is_outpaced) {
            self.unconfirmed = None;
        }
        self.written = Some(written?);
        Ok(())
    }

    async fn try_release(&self) -> Result<(), Error> {
        let mut known = self.written.clone();
        loop {
            let lease = match known.take() {
                Some(lease) => Some(lease),
                None => self.leases.get_opt(&self.settings.lease).await?,
            };
            let Some(mut lease) = lease else {
                return Ok(());
            };
            let record = lease.spec.get_or_insert_default();
            if holder(record) != Some(&*self.settings.identity) {
                return Ok(());
            }
            let now = now();
            record.holder_identity = Some(String::new());
            record.lease_duration_seconds = Some(1);
            record.acquire_time = Some(now.clone());
            record.renew_time = Some(now);
            match self.leases.replace(&lease).await {
                Err(Error::Conflict(_) | Error::NotFound(_)) => {}
                released => return released.map(drop),
            }
        }
    }
}

/// Returns the holder of a record; `None` if there is none.
fn holder(record: &LeaseSpec) -> Option<&str> {
    record.holder_identity.as_deref().filter(|holder| !holder.is_empty())
}

/// Whether another program has written first.
fn is_outpaced(error: &Error) -> bool {
    matches!(error, Error::Conflict(_) | Error::AlreadyExists(_))
}
