//! Enums with crdkit's derive accept the same JSON as those with schemars', but where they are closer to serde.

use crdkit::schema::Schema;
use serde_json::Value;

use crate::{
    Form, all_forms,
    zoo::{Zoo, mutants},
};

#[tokio::test]
async fn both_derives_accept_the_same() {
    let renders =
        |form: &Form| crdkit::render::render_schema(&Schema::foreign(form.foreign)).is_ok();
    let forms: Vec<_> = all_forms().into_iter().filter(renders).collect();
    let own = forms.iter().map(|form| (form.name, *form.schema));
    let foreign = forms
        .iter()
        .map(|form| (form.name, Schema::foreign(form.foreign)));
    let (Some(own), Some(foreign)) = (Zoo::of(own).await, Zoo::of(foreign).await) else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for form in &forms {
        let values = form.accepted.as_array().unwrap();
        let mut all: Vec<_> = values.iter().flat_map(|it| mutants(it, values)).collect();
        all.extend(
            values
                .iter()
                .chain(form.refused.as_array().unwrap())
                .cloned(),
        );
        all.sort_by_key(Value::to_string);
        all.dedup();
        for value in &all {
            let one = own.create(form.name, value).await;
            let other = foreign.create(form.name, value).await;
            match one.accepted {
                true => accepted += 1,
                false => refused += 1,
            }
            let again = (form.again)(value);
            let is_better = match one.accepted {
                true => again.is_some(),
                false => again.as_ref() != Some(value),
            };
            if one.accepted != other.accepted && !is_better {
                wrong.push(format!(
                    "{}: {value}: {one}; with schemars {other}",
                    form.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        accepted * 10 > refused,
        "{accepted} accepted, {refused} refused"
    );
}
