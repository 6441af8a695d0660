//! The rules of `benches/cel/rules.json`, and who evaluates them.

use std::{collections::HashMap, fs, hint::black_box, process::Stdio, time::Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use crdkit::__internal::crd_accessors::read;
use crdkit_benches::{GoProgram, bench_dir};
use crdkit_core::cel::RuleScope;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use kube_cel::{
    KubeCelExt,
    cel::{Context, Program, Value as CelValue},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Nanoseconds;

const ITERATIONS: usize = 20_000;

/// A rule that is true for a value.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) name: String,
    schema: JSONSchemaProps,
    value: Value,
    rule: String,
}

pub(crate) fn read() -> Result<Vec<Rule>> {
    Ok(serde_json::from_str(include_str!("../../cel/rules.json"))?)
}

/// Compiles each rule once, and evaluates it again and again.
fn time(rules: &[Rule], mut evaluations: impl FnMut(&Rule) -> Result<f64>) -> Result<Nanoseconds> {
    let timed = rules.iter().map(|rule| {
        let nanoseconds = evaluations(rule).with_context(|| rule.name.clone())?;
        Ok((rule.name.clone(), nanoseconds))
    });
    timed.collect()
}

/// Returns the nanoseconds of an evaluation, which must be true.
fn repeat(mut evaluate: impl FnMut() -> Result<bool>) -> Result<f64> {
    ensure!(evaluate()?, "the rule is false");
    let start = Instant::now();
    for _ in 0..ITERATIONS {
        black_box(evaluate()?);
    }
    Ok(start.elapsed().as_nanos() as f64 / ITERATIONS as f64)
}

/// crdkit's evaluations.
pub(crate) fn ours(rules: &[Rule]) -> Result<Nanoseconds> {
    time(rules, |rule| {
        let props = read::schema(&rule.schema);
        let scope = RuleScope::of(&props, false).context("the schema has no type in CEL")?;
        let program = scope.program(&rule.rule, false).map_err(|error| anyhow!("{error:?}"))?;
        let value = read::json(&rule.value);
        repeat(|| {
            let evaluation = program.evaluate(&value, Some(&value), u64::MAX);
            evaluation.result.map_err(|error| anyhow!("{error}"))
        })
    })
}

/// Those of the crate `cel`, with Kubernetes' functions of `kube-cel`.
pub(crate) fn of_cel(rules: &[Rule]) -> Result<Nanoseconds> {
    time(rules, |rule| {
        let program = Program::compile(&rule.rule).map_err(|error| anyhow!("{error:?}"))?;
        let mut context = Context::default().with_all();
        for variable in ["self", "oldSelf"] {
            context.add_variable_from_value(variable, value_of_cel(&rule.value));
        }
        repeat(|| {
            let value = program.execute(&context).map_err(|error| anyhow!("{error}"))?;
            Ok(matches!(value, CelValue::Bool(true)))
        })
    })
}

/// Returns a value of the crate `cel`, whose own conversion makes unsigned numbers of positive integers.
fn value_of_cel(value: &Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(value) => CelValue::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => CelValue::Int(integer),
            None => CelValue::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(value_of_cel).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), value_of_cel(value)));
            members.collect::<HashMap<_, _>>().into()
        }
    }
}

/// Those of the API server's libraries in Go.
pub(crate) fn of_go(program: &GoProgram) -> Result<Nanoseconds> {
    let work = bench_dir().join("cel-work.json");
    let rules: Value = serde_json::from_str(include_str!("../../cel/rules.json"))?;
    fs::write(&work, json!({ "Rules": rules, "Iterations": ITERATIONS }).to_string())?;
    let output = program.command().arg(&work).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the program in Go ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}
