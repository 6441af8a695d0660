//! The page about size: its figures are measured.

use std::fmt::Write as _;

use crdkit::{CustomResource, KubeSchema, definition::Definition, schema::Descriptions};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde::{Deserialize, Serialize};

macro_rules! forms {
    ($($module:ident: $($attribute:meta)?;)+) => {$(
        mod $module {
            use super::*;

            /// Runs pods.
            #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
            #[crd(group = "example.com", version = "v1", kind = "Runner", namespaced, test = false)]
            pub(super) struct RunnerSpec {
                /// What runs.
                $(#[$attribute])?
                template: PodTemplateSpec,
            }
        }
    )+};
}

forms! {
    plain:;
    opaque: crd(embed = "opaque");
    lean: crd(embed = "lean");
    full: crd(embed = "full");
}

/// The size of a definition as JSON in KiB, with each choice of descriptions.
fn row(definition: &Definition) -> String {
    let sizes =
        [Descriptions::All, Descriptions::FirstSentence, Descriptions::Own, Descriptions::None].map(|descriptions| {
            let crd = definition.descriptions(descriptions).render().unwrap();
            let bytes = serde_json::to_vec(&crd).unwrap().len();
            format!("{}", bytes.div_ceil(1024))
        });
    sizes.join(" | ")
}

#[test]
fn its_figures_are_measured() {
    let mut table = String::new();
    for (name, definition) in [
        ("nothing", plain::Runner::DEFINITION),
        ("`embed = \"full\"`", full::Runner::DEFINITION),
        ("`embed = \"lean\"`", lean::Runner::DEFINITION),
        ("`embed = \"opaque\"`", opaque::Runner::DEFINITION),
    ] {
        writeln!(table, "| {name} | {} |", row(&definition)).unwrap();
    }
    print!("{table}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/docs/size.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "size.md should have:\n{table}");
}

#[test]
fn the_generated_test_names_what_is_too_large() {
    let report = crdkit::testing::CheckReport::new(&full::Runner::DEFINITION);
    assert!(report.is_good(), "{report}");
    let [note] = &report.notes[..] else { panic!("{:?}", report.notes) };
    println!("{note}");
    assert!(note.contains(".spec.template: "), "{note}");
    let report = crdkit::testing::CheckReport::new(&lean::Runner::DEFINITION);
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}
