//! Enums with crdkit's derive accept the same JSON as those with schemars', except where they are closer to serde.

use crdkit::{render::render_schema, schema::Schema};
use serde_json::Value;

use super::{Enum, Form, enums};
use crate::served_fields::ServedFields;

#[tokio::test]
async fn both_derives_accept_the_same() {
    let renders = |it: &Enum| render_schema(&Schema::foreign(it.foreign)).is_ok();
    let enums: Vec<_> = enums().into_iter().filter(renders).collect();
    let own = enums.iter().map(|it| (it.form.name, *it.form.schema));
    let foreign = enums.iter().map(|it| (it.form.name, Schema::foreign(it.foreign)));
    let (Some(own), Some(foreign)) = (ServedFields::of(own).await, ServedFields::of(foreign).await) else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for form in enums.iter().map(|it| &it.form) {
        for value in &values(form) {
            let one = own.create(form.name, value).await;
            let other = foreign.create(form.name, value).await;
            if one.accepted {
                accepted += 1;
            } else {
                refused += 1;
            }
            let reencoded = (form.reencode)(value);
            let is_better = if one.accepted { reencoded.is_some() } else { reencoded.as_ref() != Some(value) };
            if one.accepted != other.accepted && !is_better {
                wrong.push(format!("{}: {value}: {one}; with schemars {other}", form.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted * 10 > refused, "{accepted} accepted, {refused} refused");
}

/// Mutants, and the values that the form declares as accepted and refused.
fn values(form: &Form) -> Vec<Value> {
    let declared = form.accepted().iter().chain(form.refused()).cloned();
    let mut all = form.mutants();
    all.extend(declared);
    all
}
