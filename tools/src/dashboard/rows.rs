//! What a dashboard shows of each metric, and where.

pub(super) struct Row {
    pub(super) title: &'static str,
    pub(super) panels: &'static [Panel],
}

pub(super) struct Panel {
    pub(super) title: &'static str,
    /// One of Grafana's units.
    pub(super) unit: &'static str,
    pub(super) series: &'static [Series],
}

pub(super) struct Series {
    pub(super) metric: &'static str,
    /// The labels that distinguish its lines.
    pub(super) by: &'static [&'static str],
    /// Distinguishes it from the other metrics of the panel.
    pub(super) name: &'static str,
    /// How the values of a gauge in several replicas become one.
    pub(super) aggregate: Aggregate,
}

#[derive(Clone, Copy)]
pub(super) enum Aggregate {
    Sum,
    /// Each replica has a cache of the same objects.
    Max,
    Min,
    /// It is a time: what is left until then, at least.
    TimeLeft,
}

impl Aggregate {
    /// Returns the aggregation operator of PromQL.
    pub(super) fn function(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Min | Self::TimeLeft => "min",
        }
    }
}

const fn series(metric: &'static str, by: &'static [&'static str]) -> Series {
    Series { metric, by, name: "", aggregate: Aggregate::Sum }
}

impl Series {
    const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    const fn aggregate(self, aggregate: Aggregate) -> Self {
        Self { aggregate, ..self }
    }
}

const fn panel(title: &'static str, unit: &'static str, series: &'static [Series]) -> Panel {
    Panel { title, unit, series }
}

const RATE: &str = "ops";
const COUNT: &str = "short";
const SECONDS: &str = "s";
const CONTROLLER: &[&str] = &["controller"];
const RESOURCE: &[&str] = &["resource"];

/// The metrics that no panel shows, and why.
#[cfg(test)]
pub(super) const LEFT_OUT: &[(&str, &str)] =
    &[("workqueue_work_duration_seconds", "it is the duration of reconciliations, with coarser buckets")];

pub(super) const ALL: &[Row] = &[
    Row {
        title: "Reconciliations",
        panels: &[
            panel("Results", RATE, &[series("controller_runtime_reconcile_total", &["controller", "result"])]),
            panel(
                "Failures",
                RATE,
                &[
                    series("controller_runtime_reconcile_errors_total", CONTROLLER).named("errors"),
                    series("controller_runtime_terminal_reconcile_errors_total", CONTROLLER).named("terminal"),
                    series("controller_runtime_reconcile_panics_total", CONTROLLER).named("panics"),
                    series("controller_runtime_reconcile_timeouts_total", CONTROLLER).named("timeouts"),
                ],
            ),
            panel("Durations", SECONDS, &[series("controller_runtime_reconcile_time_seconds", CONTROLLER)]),
            panel(
                "Workers",
                COUNT,
                &[
                    series("controller_runtime_active_workers", CONTROLLER).named("active"),
                    series("controller_runtime_max_concurrent_reconciles", CONTROLLER)
                        .named("limit")
                        .aggregate(Aggregate::Max),
                ],
            ),
            panel(
                "Unusual",
                RATE,
                &[
                    series("crdkit_reconcile_loops_total", CONTROLLER).named("loops"),
                    series("crdkit_forced_deletions_total", CONTROLLER).named("forced deletions"),
                    series("crdkit_events_dropped_total", CONTROLLER).named("dropped events"),
                ],
            ),
        ],
    },
    Row {
        title: "Work queues",
        panels: &[
            panel("Depth", COUNT, &[series("workqueue_depth", &["controller", "priority"])]),
            panel(
                "Adds and retries",
                RATE,
                &[
                    series("workqueue_adds_total", CONTROLLER).named("adds"),
                    series("workqueue_retries_total", CONTROLLER).named("retries"),
                ],
            ),
            panel("Paused objects", COUNT, &[series("crdkit_paused_objects", CONTROLLER).aggregate(Aggregate::Max)]),
            panel("Waits", SECONDS, &[series("workqueue_queue_duration_seconds", CONTROLLER)]),
            panel(
                "Unfinished work",
                SECONDS,
                &[
                    series("workqueue_unfinished_work_seconds", CONTROLLER).named("all"),
                    series("workqueue_longest_running_processor_seconds", CONTROLLER)
                        .named("longest")
                        .aggregate(Aggregate::Max),
                ],
            ),
            panel("Waits for own writes", COUNT, &[series("crdkit_own_writes_waiting", CONTROLLER)]),
            panel(
                "Postponed for own writes",
                RATE,
                &[
                    series("crdkit_own_writes_postponed_total", CONTROLLER).named("postponed"),
                    series("crdkit_own_writes_stale_total", CONTROLLER).named("stale"),
                ],
            ),
        ],
    },
    Row {
        title: "Caches",
        panels: &[
            panel("Age", SECONDS, &[series("crdkit_informer_age_seconds", RESOURCE).aggregate(Aggregate::Max)]),
            panel("Up", COUNT, &[series("crdkit_informer_up", RESOURCE).aggregate(Aggregate::Min)]),
            panel(
                "Objects",
                COUNT,
                &[
                    series("crdkit_informer_objects", RESOURCE).aggregate(Aggregate::Max),
                    series("crdkit_informer_unreadable_objects", RESOURCE)
                        .named("unreadable")
                        .aggregate(Aggregate::Max),
                ],
            ),
            panel(
                "Lists and watches",
                RATE,
                &[
                    series("crdkit_informer_lists_total", RESOURCE).named("lists"),
                    series("crdkit_informer_resumed_total", RESOURCE).named("resumed"),
                    series("crdkit_informer_failures_total", RESOURCE).named("failures"),
                ],
            ),
            panel("New lists", RATE, &[series("crdkit_informer_relists_total", &["resource", "reason"])]),
            panel("Undecodable objects", RATE, &[series("crdkit_informer_undecodable_total", RESOURCE)]),
        ],
    },
    Row {
        title: "Requests and replicas",
        panels: &[
            panel("Requests", RATE, &[series("rest_client_requests_total", &["method", "code"])]),
            panel("Leader", COUNT, &[series("leader_election_master_status", &["name"])]),
            panel("Shards", COUNT, &[series("crdkit_shards_held", &["name"])]),
        ],
    },
    Row {
        title: "Webhooks",
        panels: &[
            panel("Reviews", RATE, &[series("controller_runtime_webhook_requests_total", &["webhook", "code"])]),
            panel("Latencies", SECONDS, &[series("controller_runtime_webhook_latency_seconds", &["webhook"])]),
            panel("Reviews in flight", COUNT, &[series("controller_runtime_webhook_requests_in_flight", &["webhook"])]),
            panel(
                "Panics",
                RATE,
                &[
                    series("controller_runtime_webhook_panics_total", &[]).named("admission"),
                    series("controller_runtime_conversion_webhook_panics_total", &[]).named("conversion"),
                ],
            ),
            panel(
                "Time until the certificate expires",
                SECONDS,
                &[series("crdkit_webhook_certificate_expiration_timestamp_seconds", &[])
                    .named("left")
                    .aggregate(Aggregate::TimeLeft)],
            ),
            panel(
                "Certificates",
                RATE,
                &[
                    series("certwatcher_read_certificate_total", &[]).named("loaded"),
                    series("certwatcher_read_certificate_errors_total", &[]).named("failures"),
                ],
            ),
        ],
    },
];
