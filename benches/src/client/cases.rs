//! The measured calls of both clients.

use std::str::FromStr;

use anyhow::{Context, Result};

use crate::clients::Calls;

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Case {
    Get,
    Create,
    Replace,
    Patch,
    Delete,
    List,
    ListWhole,
    ListConfigMaps,
}

impl Case {
    pub(crate) const ALL: [Self; 8] = [
        Self::Get,
        Self::Create,
        Self::Replace,
        Self::Patch,
        Self::Delete,
        Self::List,
        Self::ListWhole,
        Self::ListConfigMaps,
    ];

    /// As it stands in results.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::List => "list",
            Self::ListWhole => "list_whole",
            Self::ListConfigMaps => "list_configmaps",
        }
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self, Self::List | Self::ListWhole | Self::ListConfigMaps)
    }

    /// How many calls are measured together.
    pub(crate) fn calls(self) -> usize {
        if self.is_list() { 1 } else { 200 }
    }

    /// Makes the calls. The meter runs from before the first until the last is answered; the answers are dropped after
    /// that.
    pub(crate) async fn run<M: Meter>(self, client: &impl Calls) -> Result<M::Figures> {
        let calls = self.calls();
        match self {
            Self::Get => repeat::<M, _>(calls, || client.get()).await,
            Self::Create => repeat::<M, _>(calls, || client.create()).await,
            Self::Replace => repeat::<M, _>(calls, || client.replace()).await,
            Self::Patch => repeat::<M, _>(calls, || client.patch()).await,
            Self::Delete => repeat::<M, _>(calls, || client.delete()).await,
            Self::List => repeat::<M, _>(calls, || client.list()).await,
            Self::ListWhole => repeat::<M, _>(calls, || client.list_whole()).await,
            Self::ListConfigMaps => repeat::<M, _>(calls, || client.list_config_maps()).await,
        }
    }
}

impl FromStr for Case {
    type Err = anyhow::Error;

    fn from_str(key: &str) -> Result<Self> {
        let case = Self::ALL.into_iter().find(|case| case.key() == key);
        case.with_context(|| format!("there is no case `{key}`"))
    }
}

/// Measures what happens between its start and its stop.
pub(crate) trait Meter: Sized {
    type Figures;

    fn start() -> Result<Self>;
    fn stop(self) -> Result<Self::Figures>;
}

async fn repeat<M: Meter, T>(calls: usize, call: impl AsyncFn() -> Result<T>) -> Result<M::Figures> {
    let mut answers = Vec::with_capacity(calls);
    let meter = M::start()?;
    for _ in 0..calls {
        answers.push(call().await?);
    }
    meter.stop()
}
