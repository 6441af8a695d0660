//! Questions to the oracle about rules: what the server's evaluation of them returns.

use crdkit_core::{json::Json, schema::SchemaProps};
use serde_json::Value;

use crate::{Oracle, schema_json};

/// Rules of one schema, and the values on which they are evaluated.
#[derive(Clone, Debug)]
pub struct Question {
    /// The schema of the values.
    pub schema: SchemaProps<'static>,
    /// Whether they are resources.
    pub is_root: bool,
    /// The cost at which an evaluation ends.
    pub limit: u64,
    /// How often each rule is evaluated: maps have another order each time.
    pub repeats: usize,
    /// The rules.
    pub rules: Vec<RuleText>,
    /// The values, and those that they replace.
    pub values: Vec<(Json<'static>, Option<Json<'static>>)>,
}

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleText {
    /// `rule`
    pub rule: String,
    /// `optionalOldSelf`
    pub is_old_self_optional: bool,
    /// `messageExpression`
    pub message: Option<String>,
}

/// What an evaluation returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// `true`, `false`, or `error: ` and the error.
    pub result: String,
    /// The cost.
    pub cost: u64,
    /// The result of the message expression, and its cost, of a rule that is false.
    pub message: Option<(String, u64)>,
}

/// The response to a question.
#[derive(Clone, Debug)]
pub struct Response {
    /// Why a rule does not compile; empty if it does.
    pub refused: Vec<String>,
    /// For each value, and for each rule, what its evaluations return.
    pub outcomes: Vec<Vec<Vec<Outcome>>>,
}

/// Asks the oracle.
///
/// # Panics
///
/// If the oracle cannot read a question.
pub fn ask(oracle: &Oracle, questions: &[Question]) -> Vec<Response> {
    let queries: Vec<_> = questions.iter().map(|it| vec!["evaluate".to_owned(), it.json().to_string()]).collect();
    let mut responses = Vec::with_capacity(queries.len());
    oracle.query(&queries, |query, fields| {
        let [answer] = fields else { panic!("{fields:?} to {query:?}") };
        let answer: Value = serde_json::from_str(answer).expect("the oracle answers JSON");
        responses.push(response(&answer));
    });
    responses
}

impl Question {
    fn json(&self) -> Json<'static> {
        let text = |text: &str| Json::String(text.to_owned().into());
        let rule = |it: &RuleText| {
            let mut members =
                vec![("rule".into(), text(&it.rule)), ("optionalOldSelf".into(), Json::Bool(it.is_old_self_optional))];
            members.extend(it.message.as_deref().map(|it| ("messageExpression".into(), text(it))));
            Json::Object(members)
        };
        let value = |(value, old): &(Json<'static>, Option<Json<'static>>)| {
            let mut members = vec![("self".into(), value.clone())];
            members.extend(old.clone().map(|it| ("oldSelf".into(), it)));
            Json::Object(members)
        };
        Json::Object(vec![
            ("schema".into(), schema_json(&self.schema)),
            ("isRoot".into(), Json::Bool(self.is_root)),
            ("limit".into(), Json::Unsigned(self.limit)),
            ("repeats".into(), Json::Unsigned(self.repeats as u64)),
            ("rules".into(), Json::Array(self.rules.iter().map(rule).collect())),
            ("values".into(), Json::Array(self.values.iter().map(value).collect())),
        ])
    }
}

fn response(answer: &Value) -> Response {
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let outcome = |it: &Value| {
        let message = text(&it["message"]);
        Outcome {
            result: text(&it["result"]),
            cost: it["cost"].as_u64().unwrap_or_default(),
            message: (it["hasMessage"] == true).then(|| (message, it["messageCost"].as_u64().unwrap_or_default())),
        }
    };
    let of_value = |it: &Value| all(it).iter().map(|it| all(it).iter().map(outcome).collect()).collect();
    Response {
        refused: all(&answer["refused"]).iter().map(text).collect(),
        outcomes: all(&answer["outcomes"]).iter().map(of_value).collect(),
    }
}
