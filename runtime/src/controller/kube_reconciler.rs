//! Runs reconcile functions that were written for kube-runtime.

use std::{any::type_name, error::Error as StdError, fmt::Debug, future::Future, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt};

use super::{
    Action, Context, Error, ObjectKey, StaticKind, error::describe_chain, namespace_end::NamespaceEnds, retry_after,
    terminal,
};
use crate::informer::CacheObject;

/// Converts a reconcile function of kube-runtime's `Controller`, with its error policy and its context, for
/// [`reconcile_key`](super::ControllerBuilder::reconcile_key).
///
/// ```
/// # use crdkit::controller::{Context, kube_reconciler};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # // Stands for that of kube-runtime.
/// # #[derive(Debug)]
/// # struct Action { requeue_after: Option<Duration> }
/// # impl Action { fn requeue(delay: Duration) -> Self { Action { requeue_after: Some(delay) } } }
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("failed")]
/// # struct ReconcileError;
/// # struct Data;
/// use std::{sync::Arc, time::Duration};
///
/// use crdkit::controller::Controller;
///
/// async fn reconcile(config: Arc<ConfigMap>, ctx: Arc<Data>) -> Result<Action, ReconcileError> {
///     Ok(Action::requeue(Duration::from_secs(3600)))
/// }
///
/// fn error_policy(config: Arc<ConfigMap>, error: &ReconcileError, ctx: Arc<Data>) -> Action {
///     Action::requeue(Duration::from_secs(60))
/// }
///
/// let ctx = Arc::new(Data);
/// let controller = Controller::of::<ConfigMap>().reconcile_key(kube_reconciler(reconcile, error_policy, ctx));
/// ```
///
/// As in kube-runtime, the function is also called for objects that are being deleted, so that its `finalizer` works, and not
/// for deleted ones. The delay after a failure is that of the error policy, which is not called for an object whose namespace is
/// being deleted, if the function cannot create something there. See the [page about
/// kube-runtime](super::kube_runtime) for what differs.
///
/// `A` is `kube::runtime::controller::Action`. crdkit does not depend on kube-runtime, and that type has no accessors: the
/// delay is read from its `Debug` output. If a version of kube-runtime changes the output, each reconciliation fails with an
/// error that contains it.
pub fn kube_reconciler<K, T, C, A, E, F, R, P>(
    reconcile: F,
    error_policy: P,
    context: Arc<C>,
) -> impl Fn(ObjectKey, Context<K, T>) -> BoxFuture<'static, Result<Action, Error>> + Send + Sync + 'static
where
    K: StaticKind,
    T: Send + Sync + 'static,
    C: Send + Sync + 'static,
    A: Debug,
    E: StdError + Send + 'static,
    F: Fn(Arc<K>, Arc<C>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<A, E>> + Send + 'static,
    P: Fn(Arc<K>, &E, Arc<C>) -> A + Send + Sync + 'static,
{
    let functions = Arc::new((reconcile, error_policy));
    move |_, cx: Context<K, T>| {
        let (functions, context) = (functions.clone(), context.clone());
        async move {
            let Some(object) = cx.get() else {
                return Ok(Action::Done);
            };
            let (reconcile, error_policy) = &*functions;
            match reconcile(object.clone(), context.clone()).await {
                Ok(action) => convert(&action),
                Err(error) => {
                    if let Some(ends) = NamespaceEnds::find(&error).filter(|_| !object.is_terminating()) {
                        return Err(ends.into());
                    }
                    let action = convert(&error_policy(object, &error, context))?;
                    // The error may not be `Sync`.
                    let error = describe_chain(&error);
                    Err(match action {
                        Action::Requeue(delay) => retry_after(error, delay).into(),
                        Action::Done => terminal(error).into(),
                    })
                }
            }
        }
        .boxed()
    }
}

/// Converts an action of kube-runtime.
fn convert<A: Debug>(action: &A) -> Result<Action, Error> {
    let text = format!("{action:?}");
    let delay = text.strip_prefix("Action { requeue_after: ").and_then(|text| text.strip_suffix(" }"));
    let action = delay.and_then(|delay| match delay {
        "None" => Some(Action::Done),
        delay => {
            let delay = delay.strip_prefix("Some(").and_then(|delay| delay.strip_suffix(')'))?;
            Some(Action::Requeue(parse_duration(delay)?))
        }
    });
    action.ok_or_else(|| {
        let name = type_name::<A>();
        let message = format!(
            "the delay of `{text}` cannot be read: expected an action of kube-runtime 5, but `{name}` displays differently"
        );
        message.into()
    })
}

/// Parses the `Debug` output of a duration, which is exact.
fn parse_duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, u32); 4] = [("ns", 0), ("µs", 3), ("ms", 6), ("s", 9)];
    let (number, decimals) =
        UNITS.into_iter().find_map(|(unit, decimals)| Some((text.strip_suffix(unit)?, decimals)))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let missing = decimals.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let nanos = digits.checked_mul(10_u128.pow(missing))?;
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug)]
    struct Action {
        #[expect(dead_code, reason = "it is displayed")]
        requeue_after: Option<Duration>,
    }

    #[test]
    fn other_types_are_an_error() {
        assert_eq!(convert(&Action { requeue_after: None }).unwrap(), super::Action::Done);
        let error = convert(&Some(Duration::ZERO)).unwrap_err().to_string();
        assert!(error.starts_with("the delay of `Some(0ns)` cannot be read"), "{error}");
    }

    proptest! {
        #[test]
        fn delays_are_exact(seconds in prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], nanos in 0..1_000_000_000_u32) {
            let delay = Duration::new(seconds, nanos);
            let converted = convert(&Action { requeue_after: Some(delay) }).unwrap();
            prop_assert_eq!(converted, super::Action::Requeue(delay));
        }
    }
}
