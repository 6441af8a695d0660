//! HorizontalPodAutoscalers, which scale by a metric that the test sets.

use http::Method;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use serde_json::Value;

use super::{request::ControllerRequest, running::Controller};
use crate::{
    ApiServer,
    failure::Failure,
    state::State,
    store::{Key, Write},
    value::text,
};

const AUTOSCALERS: &str = "horizontalpodautoscalers.autoscaling";
/// The deviation from the target within which nothing is scaled.
const TOLERANCE: f64 = 0.1;

type Metric = dyn Fn(&HorizontalPodAutoscaler) -> Option<f64> + Send + Sync;

impl ApiServer {
    /// Scales the targets of HorizontalPodAutoscalers, through their subresource `scale`, by the value of a metric.
    ///
    /// A function returns the current value: a utilization in percent or the average of the Pods, whatever the first metric of the
    /// autoscaler has as its target. Each call of [`Self::settle`] evaluates each autoscaler once, without stabilization and scaling policies.
    ///
    /// ```
    /// # use crdkit_api_server::ApiServer;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = ApiServer::new().with_autoscaling(|_| Some(90.0)).with_objects("
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: { name: web }
    /// spec:
    ///   replicas: 2
    ///   selector: { matchLabels: { app: web } }
    ///   template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: web }] } }
    /// ---
    /// apiVersion: autoscaling/v2
    /// kind: HorizontalPodAutoscaler
    /// metadata: { name: web }
    /// spec:
    ///   scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
    ///   maxReplicas: 10
    ///   metrics:
    ///   - type: Resource
    ///     resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } }
    /// ");
    /// server.settle();
    /// let deployments = server.client().resources::<Deployment>().namespace("default");
    /// assert_eq!(deployments.get("web").await?.spec.replicas, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_autoscaling(
        self,
        metric: impl Fn(&HorizontalPodAutoscaler) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        self.enable(Autoscaler { metric: Box::new(metric) })
    }
}

struct Autoscaler {
    metric: Box<Metric>,
}

/// The desired number of replicas, and why.
struct Decision {
    replicas: i64,
    able: (&'static str, String),
    /// `None` if the metric does not matter.
    active: Option<(&'static str, &'static str, String)>,
    /// `None` if there is no decision that limits could apply to.
    limited: Option<(&'static str, &'static str, &'static str)>,
}

impl Controller for Autoscaler {
    fn name(&self) -> &'static str {
        "horizontal-pod-autoscaler-controller"
    }

    fn run(&mut self, _: &mut State, _: &[Write]) {}

    /// Evaluates each autoscaler once.
    fn evaluate(&mut self, state: &mut State) {
        let collection = state.store.find_collection(AUTOSCALERS).into_iter();
        let objects: Vec<_> = collection.flat_map(|it| it.objects()).map(|(_, stored)| stored.value()).collect();
        for object in objects {
            // What fails is tried again by the next evaluation.
            let _ = self.scale(state, &object);
        }
    }
}

impl Autoscaler {
    fn scale(&self, state: &mut State, object: &Value) -> Result<(), Failure> {
        let typed = serde_json::from_value(object.clone()).map_err(|error| Failure::internal(error.to_string()))?;
        let spec = &object["spec"];
        let namespace = text(&object["metadata"], "namespace");
        let resource = state.resources.of_type(&spec["scaleTargetRef"])?.collection();
        let target = Key::new(namespace, text(&spec["scaleTargetRef"], "name"));
        let read = ControllerRequest::new(Method::GET, &resource, &target, Value::Null).subresource("scale");
        let mut scale = match read.send(state) {
            Ok(scale) => scale,
            Err(failure) => {
                let message = failure.message;
                let condition = (
                    "AbleToScale",
                    "False",
                    "FailedGetScale",
                    format!("the HPA controller was unable to get the target's current scale: {message}"),
                );
                return write_status(state, object, object["status"].clone(), vec![condition]);
            }
        };
        let current = scale["spec"]["replicas"].as_i64().unwrap_or_default();
        let metric = (self.metric)(&typed);
        let decision = decide(object, current, metric);
        if decision.replicas != current {
            scale["spec"]["replicas"] = decision.replicas.into();
            ControllerRequest::update(&resource, &target, scale.clone()).subresource("scale").send(state)?;
        }
        let mut status = object["status"].clone();
        status["observedGeneration"] = object["metadata"]["generation"].clone();
        status["currentReplicas"] = current.into();
        status["desiredReplicas"] = decision.replicas.into();
        if decision.replicas != current {
            status["lastScaleTime"] = state.clock.text().into();
        }
        if let Some(members) = status.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        let (reason, message) = decision.able;
        let mut conditions = vec![("AbleToScale", "True", reason, message)];
        conditions.extend(decision.active.map(|(status, reason, message)| ("ScalingActive", status, reason, message)));
        conditions.extend(decision.limited.map(|it| ("ScalingLimited", it.0, it.1, it.2.to_owned())));
        write_status(state, object, status, conditions)
    }
}

fn decide(object: &Value, current: i64, metric: Option<f64>) -> Decision {
    let spec = &object["spec"];
    let (minimum, maximum) = (spec["minReplicas"].as_i64().unwrap_or(1), spec["maxReplicas"].as_i64().unwrap_or(1));
    let rescaled = |replicas: i64| {
        ("SucceededRescale", format!("the HPA controller was able to update the target scale to {replicas}"))
    };
    let read = || ("SucceededGetScale", "the HPA controller was able to get the target's current scale".to_owned());
    if current == 0 && minimum != 0 {
        let message = "scaling is disabled since the replica count of the target is zero".to_owned();
        let active = Some(("False", "ScalingDisabled", message));
        return Decision { replicas: 0, able: read(), active, limited: None };
    }
    if current > maximum || current < minimum {
        let replicas = if current > maximum { maximum } else { minimum };
        return Decision { replicas, able: rescaled(replicas), active: None, limited: None };
    }
    let Some(metric) = metric else {
        let message = "the HPA was unable to compute the replica count: no metric".to_owned();
        let active = Some(("False", "FailedGetMetrics", message));
        return Decision { replicas: current, able: read(), active, limited: None };
    };
    let desired = match metric / target(spec) {
        ratio if (ratio - 1.0).abs() <= TOLERANCE => current,
        ratio => (ratio * current as f64).ceil() as i64,
    };
    let limited = if desired > maximum {
        ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
    } else if desired < minimum {
        ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
    } else {
        ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
    };
    let replicas = desired.clamp(minimum, maximum.max(minimum));
    let able = if replicas == current {
        ("ReadyForNewScale", "recommended size matches current size".to_owned())
    } else {
        rescaled(replicas)
    };
    let message = format!("the HPA was able to successfully calculate a replica count from {}", metric_name(spec));
    Decision { replicas, able, active: Some(("True", "ValidMetricFound", message)), limited: Some(limited) }
}

/// Describes the first metric.
fn metric_name(spec: &Value) -> String {
    let metric = &spec["metrics"][0];
    let named = |source: &Value| text(&source["metric"], "name").to_owned();
    match text(metric, "type") {
        "Pods" => format!("pods metric {}", named(&metric["pods"])),
        "Object" => {
            let object = &metric["object"];
            format!("{} metric {}", text(&object["describedObject"], "kind"), named(object))
        }
        "External" => format!("external metric {}", named(&metric["external"])),
        kind => {
            let source = if kind == "ContainerResource" { &metric["containerResource"] } else { &metric["resource"] };
            let name = source["name"].as_str().unwrap_or("cpu");
            if source["target"]["averageValue"].is_null() {
                format!("{name} resource utilization (percentage of request)")
            } else {
                format!("{name} resource")
            }
        }
    }
}

/// Returns the target of the first metric: a utilization in percent, or a value.
fn target(spec: &Value) -> f64 {
    const DEFAULT: f64 = 80.0;
    if let Some(percent) = spec["targetCPUUtilizationPercentage"].as_f64() {
        return percent;
    }
    let metric = &spec["metrics"][0];
    let kind = text(metric, "type");
    let name = format!("{}{}", kind.get(..1).unwrap_or_default().to_lowercase(), kind.get(1..).unwrap_or_default());
    let target = &metric[name]["target"];
    if let Some(percent) = target["averageUtilization"].as_f64() {
        return percent;
    }
    let quantity = ["averageValue", "value"].into_iter().map(|name| &target[name]).find(|it| !it.is_null());
    quantity.and_then(quantity_value).unwrap_or(DEFAULT)
}

/// Returns the number of a quantity such as `500m` or `2Gi`.
fn quantity_value(quantity: &Value) -> Option<f64> {
    const SUFFIXES: [(&str, f64); 9] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("m", 0.001),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
    ];
    let text = match quantity {
        Value::String(text) => text.as_str(),
        other => return other.as_f64(),
    };
    let suffix = SUFFIXES.iter().find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, *factor)));
    let (number, factor) = suffix.unwrap_or((text, 1.0));
    Some(number.parse::<f64>().ok()? * factor)
}

fn write_status(
    state: &mut State,
    object: &Value,
    mut status: Value,
    new: Vec<(&str, &str, &str, String)>,
) -> Result<(), Failure> {
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    for (kind, status, reason, message) in new {
        super::conditions::set(&state.clock.text(), &mut conditions, kind, status, reason, &message);
    }
    status["conditions"] = conditions.into();
    if object["status"] == status {
        return Ok(());
    }
    let key = Key::new(text(&object["metadata"], "namespace"), text(&object["metadata"], "name"));
    let mut object = object.clone();
    object["status"] = status;
    ControllerRequest::update(AUTOSCALERS, &key, object).subresource("status").send(state).map(|_| ())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn targets_are_utilizations_and_quantities() {
        let metric = |target: Value| target_of(&json!({ "type": "Resource", "resource": { "target": target } }));
        fn target_of(metric: &Value) -> f64 {
            target(&json!({ "metrics": [metric] }))
        }
        assert_eq!(metric(json!({ "averageUtilization": 50 })), 50.0);
        assert_eq!(metric(json!({ "averageValue": "500m" })), 0.5);
        assert_eq!(metric(json!({ "averageValue": "2Gi" })), 2_147_483_648.0);
        assert_eq!(target(&json!({ "targetCPUUtilizationPercentage": 70 })), 70.0);
        assert_eq!(target(&json!({})), 80.0);
    }
}
