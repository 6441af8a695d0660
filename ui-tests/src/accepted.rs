//! Programs that the derives accept: each is a module, compiled and run once. The tests that the derives generate are
//! part of it.

#![allow(missing_docs, unreachable_pub, dead_code, unused_imports, clippy::duplicated_attributes)]

#[path = "../pass/attributes.rs"]
pub mod attributes;
#[path = "../pass/bounds.rs"]
pub mod bounds;
#[path = "../pass/conditions.rs"]
pub mod conditions;
#[path = "../pass/enums/forms.rs"]
pub mod enums_forms;
#[path = "../pass/generic_types.rs"]
pub mod generic_types;
#[path = "../pass/hidden_types.rs"]
pub mod hidden_types;
#[path = "../pass/hygiene/apply_no_prelude.rs"]
pub mod hygiene_apply_no_prelude;
#[path = "../pass/hygiene/apply_strict_lints.rs"]
pub mod hygiene_apply_strict_lints;
#[path = "../pass/hygiene/deprecated.rs"]
pub mod hygiene_deprecated;
#[path = "../pass/hygiene/generated.rs"]
pub mod hygiene_generated;
#[path = "../pass/hygiene/group_client_no_prelude.rs"]
pub mod hygiene_group_client_no_prelude;
#[path = "../pass/hygiene/named_crates.rs"]
pub mod hygiene_named_crates;
#[path = "../pass/hygiene/names_of_parameters.rs"]
pub mod hygiene_names_of_parameters;
#[path = "../pass/hygiene/no_prelude.rs"]
pub mod hygiene_no_prelude;
#[path = "../pass/hygiene/relations_no_prelude.rs"]
pub mod hygiene_relations_no_prelude;
#[path = "../pass/hygiene/renamed_crate.rs"]
pub mod hygiene_renamed_crate;
#[path = "../pass/hygiene/shadowed_names.rs"]
pub mod hygiene_shadowed_names;
#[path = "../pass/hygiene/shadowed_primitives.rs"]
pub mod hygiene_shadowed_primitives;
#[path = "../pass/hygiene/sizes.rs"]
pub mod hygiene_sizes;
#[path = "../pass/hygiene/strict_lints.rs"]
pub mod hygiene_strict_lints;
#[path = "../pass/inherited.rs"]
pub mod inherited;
#[path = "../pass/local_types.rs"]
pub mod local_types;
#[path = "../pass/own_serde/no_prelude.rs"]
pub mod own_serde_no_prelude;
#[path = "../pass/raw_identifiers.rs"]
pub mod raw_identifiers;
#[path = "../pass/sets.rs"]
pub mod sets;
#[path = "../pass/types_of_one_name.rs"]
pub mod types_of_one_name;
#[path = "../pass/types_of_self.rs"]
pub mod types_of_self;

#[test]
fn accepted_programs_run() {
    attributes::main();
    bounds::main();
    conditions::main();
    own_serde_no_prelude::main();
    enums_forms::main();
    generic_types::main();
    hidden_types::main();
    hygiene_apply_no_prelude::main();
    hygiene_apply_strict_lints::main();
    hygiene_deprecated::main();
    hygiene_generated::main();
    hygiene_group_client_no_prelude::main();
    hygiene_named_crates::main();
    hygiene_names_of_parameters::main();
    hygiene_no_prelude::main();
    hygiene_relations_no_prelude::main();
    hygiene_renamed_crate::main();
    hygiene_shadowed_names::main();
    hygiene_shadowed_primitives::main();
    hygiene_sizes::main();
    hygiene_strict_lints::main();
    inherited::main();
    local_types::main();
    raw_identifiers::main();
    sets::main();
    types_of_one_name::main();
    types_of_self::main();
}
