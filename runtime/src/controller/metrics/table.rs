//! The table of all metrics, for dashboards.

use crate::{Client, controller::monitor::Monitor, metrics::exposition::Family};

pub use crate::metrics::exposition::{FamilyDescription, FamilyKind};

/// Returns the families that managers serve, with those of webhooks and their certificates if they are compiled. Sends no requests.
pub fn families() -> Vec<FamilyDescription> {
    #[cfg_attr(not(feature = "webhook"), expect(unused_mut, reason = "there are more with webhooks"))]
    let mut families = Monitor::new(&Client::offline()).families();
    #[cfg(feature = "webhook")]
    families.extend(crate::webhook::metrics::WebhookMetrics::default().families());
    #[cfg(feature = "webhook")]
    families.extend(crate::webhook::certificates::Certificates::new().families());
    families.iter().map(Family::describe).collect()
}
