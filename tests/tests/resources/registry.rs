//! Every definition of this test binary.

use crdkit::{CustomResource, merge::Versions, render::render};
use serde_json::{Value, json};

use crate::served::installed;
use crate::unchanged::unchanged;

pub(crate) fn definitions() -> Vec<Value> {
    let mut definitions = vec![crate::virtual_machine::merged()];
    definitions.extend(crate::versions::merged());
    definitions.extend(SINGLE.iter().map(|definition| definition()));
    definitions
}

fn definition<K: CustomResource>() -> Value {
    json!(render::<K>().unwrap_or_else(|error| panic!("{}: {error}", K::DEFINITION.kind)))
}

/// The definition of several versions.
pub(crate) fn merge(versions: Versions) -> Value {
    json!(versions.merge().unwrap().crd)
}

macro_rules! single_versions {
    ($($resource:path,)+) => {
        const SINGLE: &[fn() -> Value] = &[$(definition::<$resource>),+];
    };
}

single_versions! {
    crate::columns::Train,
    crate::defaults::Defaulted,
    crate::enums::Choice,
    crate::enums::Word,
    crate::foreign::Importer,
    crate::kube_style::Kubish,
    crate::merge_strategies::Merged,
    crate::metadata::Labelled,
    crate::names::Class,
    crate::names::GooseObject,
    crate::no_spec::Flat,
    crate::nullable::Filled,
    crate::overrides::Overridden,
    crate::rules::Ruled,
    crate::scale::ByFields,
    crate::scale::ByJson,
    crate::scale::ByPaths,
    crate::scale::WithoutSelector,
    crate::schema_modes::Manual,
    crate::selectable::Book,
    crate::serde_attributes::Flattened,
    crate::serde_attributes::Named,
    crate::spec_keywords::Bag,
    crate::types::Container,
    crate::types::Kubernetes,
    crate::types::Moment,
    crate::types::Scalar,
    crate::validation::Checked,
    example_resources::at::At,
}

#[tokio::test]
async fn every_definition_is_accepted_without_a_warning_and_unchanged() {
    let Some(installed) = installed().await else {
        return;
    };
    for (name, definition) in installed {
        println!("{name}");
        let verdict = definition.verdict.clone().expect_accepted();
        assert_eq!(verdict.warnings, Vec::<String>::new());
        unchanged(&definition.sent, &verdict.object.unwrap());
    }
}
