//! What crdkit's own crates use: crdkit-api-server and crdkit-tools. Not part of the public API: anything here may change in any version.

pub use crate::schema::fnv::hash as fnv_hash;

pub mod admission {
    pub use crate::crd::object_processing::{
        accepts, coerce_converted, mismatch, prune_and_default, prune_and_default_merged, schema_errors,
    };
}

pub mod admission_registration {
    pub use crate::crd::admission_registration::broken_rules;
}

pub mod cel {
    pub use crate::crd::cel::evaluate::{compiled::CompiledRules, run::Failure, zones::zones};
}

#[cfg(any(feature = "client", feature = "webhook"))]
pub mod object_text {
    pub use crate::serde::object_text::read;
}

#[cfg(feature = "convert")]
pub mod convert {
    pub use crate::convert::convert_json;
}

pub mod crd_accessors {
    pub use crate::crd::crd_accessors::{count, items, schema, values};

    pub mod read {
        pub use crate::crd::crd_accessors::read::{definition, json, schema, to_serde};
    }
}

pub mod kubernetes_types {
    pub use crate::crd::render::kubernetes_types::KnownType;
}

pub mod emit {
    pub mod check {
        pub use crate::emit::check::{check_files, relative_path};
    }

    pub mod exceptions {
        pub use crate::emit::exceptions::Exceptions;
    }

    pub mod files {
        pub use crate::emit::files::{Files, file_name, write_if_changed};
    }

    pub mod markdown {
        pub use crate::emit::markdown::{code, entities, line};
    }

    pub mod objects {
        pub use crate::emit::objects::{objects, to_object};
    }

    pub mod phrase {
        pub use crate::emit::phrase::{Phrase, Span};
    }

    pub mod program {
        pub use crate::emit::program::{Arguments, FAILURE, Program, WRONG_USAGE, run_in_terminal};
    }

    pub mod sources {
        pub use crate::emit::sources::Source;
    }

    pub mod style {
        pub use crate::emit::style::Style;
    }
}

#[cfg(feature = "client")]
pub mod field_selector {
    pub use crate::client::field_selector::{FieldSelector, SelectorField};
}

#[cfg(feature = "testing")]
pub mod generate {
    pub use crate::crd::generate::{Pattern, Random, SchemaNode, format, value};
}

pub mod merge_patch {
    pub use crate::json::merge_patch::merge;
}

pub mod json_value {
    pub use crate::json::json_value::to_value;
}

#[cfg(feature = "controller")]
pub mod metrics {
    pub use crate::controller::metrics::table::{FamilyDescription, FamilyKind, families};
}

pub mod merge {
    pub use crate::crd::merge::sort_by_priority;
}

pub mod schema {
    pub use crate::schema::kubernetes::DURATION;
}

#[cfg(feature = "__serve")]
pub mod serve {
    pub use crate::serve::{HttpService, Limits, Plain, body::RequestBody, listen::open, serve, stopping};
}

pub mod structural {
    pub use crate::crd::structural::{maximum, minimum};
}

pub mod validate {
    pub use crate::crd::validate::validate_json;
}

pub mod yaml {
    pub mod diff {
        pub use crate::yaml::diff::unified;
    }

    pub mod order {
        pub use crate::yaml::order::Order;
    }

    #[cfg(feature = "yaml")]
    pub mod read {
        pub use crate::yaml::read::{Document, DuplicateKeys, documents};
    }

    pub mod write {
        pub use crate::yaml::write::{Comments, commented, document, documents};
    }
}
