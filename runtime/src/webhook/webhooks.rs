use std::collections::HashSet;

use super::{Webhook, WebhookService, builder::Admission, service::Limits};
use crate::convert::Converter;

/// The path of conversion reviews, for all kinds.
pub(super) const CONVERT_PATH: &str = "/convert";

/// All webhooks of a program.
///
/// They are served by a [`WebhookServer`](super::WebhookServer), or by a server of the program as a [`WebhookService`]. The API server
/// calls them as the [configurations](Self::configurations) specify.
///
/// | path | purpose |
/// |---|---|
/// | `/validate-infra-example-com-v1-virtualmachine` | [validation](super::WebhookBuilder::validate), with the group, version and kind, as in controller-runtime |
/// | `/mutate-infra-example-com-v1-virtualmachine` | [changes](super::WebhookBuilder::mutate) |
/// | `/validate-infra-example-com-v1-virtualmachine-scale` | validation of a [subresource](super::Webhook::scale_of) |
/// | `/convert` | [conversion](Self::convert) of all kinds |
/// | `/readyz` | whether new requests are expected; not during a shutdown |
///
/// A second webhook for the same purpose and resource has `-2` at the end of its path, and so on.
#[derive(Clone, Debug)]
#[must_use = "a server or a service answers the requests"]
pub struct Webhooks {
    pub(super) name: String,
    pub(super) webhooks: Vec<Webhook>,
    pub(super) converters: Vec<Converter>,
    pub(super) limits: Limits,
}

/// A webhook of a configuration with its path.
pub(super) struct Routed<'a> {
    pub(super) path: String,
    pub(super) webhook: &'a Webhook,
    pub(super) admission: &'a Admission,
}

impl Webhooks {
    /// Creates an empty set. The name is that of the configurations, such as `vm-operator`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), webhooks: Vec::new(), converters: Vec::new(), limits: Limits::default() }
    }

    /// Adds a webhook.
    #[expect(clippy::should_implement_trait, reason = "it adds a part, as `Manager::add`")]
    pub fn add(mut self, webhook: impl Into<Webhook>) -> Self {
        self.webhooks.push(webhook.into());
        self
    }

    /// Adds the conversion of a kind, which [`Hub::converter`](crate::convert::Hub::converter) returns.
    ///
    /// # Panics
    ///
    /// Panics if the conversion of this kind was added before.
    #[track_caller]
    pub fn convert(mut self, converter: Converter) -> Self {
        let (group, kind) = converter.group_kind();
        assert!(
            !self.converters.iter().any(|earlier| earlier.is_for(group, kind)),
            "`{kind}` of `{group}` has two conversions: add all its versions to one `Hub`"
        );
        self.converters.push(converter);
        self
    }

    /// Returns the conversions of kinds.
    #[doc(hidden)]
    pub fn converters(&self) -> &[Converter] {
        &self.converters
    }

    /// Returns the name of the configurations.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets how many reviews of admission, and how many of conversion, are processed at the same time: 256 by default. Others wait for
    /// half of their time limit, and are answered with the status 429 then.
    ///
    /// A review whose function runs longer than the API server waits counts until the function returns.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.limits.concurrency = concurrency.max(1);
        self
    }

    /// Sets the maximum size of an admission review: 7 MiB by default, as in controller-runtime. The API server accepts objects up to
    /// 3 MiB, and a review has an object twice.
    ///
    /// All reviews together take 64 MiB of memory, or nine times this size if that is more. One of them takes at most three quarters of
    /// it, by an estimate of its decoded values: small text can have many.
    pub fn max_review_bytes(mut self, bytes: usize) -> Self {
        self.limits.review_bytes = bytes;
        self
    }

    /// Sets the maximum size of a conversion review: 32 MiB by default. The API server sends all objects of a list at once: lists of more
    /// than 32 MiB need more, unless clients request pages.
    ///
    /// All conversions together take twice this size and 16 MiB of memory, and 64 MiB at least.
    pub fn max_conversion_bytes(mut self, bytes: usize) -> Self {
        self.limits.conversion_bytes = bytes;
        self
    }

    /// Returns a tower service that answers the requests. Its clones share their limits and metrics.
    pub fn service(&self) -> WebhookService {
        WebhookService::new(self)
    }

    /// Returns the webhooks that validate.
    pub(super) fn validating(&self) -> Vec<Routed<'_>> {
        self.routed("validate", |webhook| webhook.validation.as_ref())
    }

    /// Returns the webhooks that change objects.
    pub(super) fn mutating(&self) -> Vec<Routed<'_>> {
        self.routed("mutate", |webhook| webhook.mutation.as_ref())
    }

    fn routed<'a>(&'a self, purpose: &str, admission: fn(&Webhook) -> Option<&Admission>) -> Vec<Routed<'a>> {
        let mut paths = HashSet::new();
        let webhooks = self.webhooks.iter().filter_map(|webhook| Some((webhook, admission(webhook)?)));
        let routed = webhooks.map(|(webhook, admission)| {
            let first = webhook.target.path(purpose);
            let more = (2..).map(|number| format!("{first}-{number}"));
            let path = std::iter::once(first.clone()).chain(more).find(|path| !paths.contains(path)).unwrap_or(first);
            paths.insert(path.clone());
            Routed { path, webhook, admission }
        });
        routed.collect()
    }
}
