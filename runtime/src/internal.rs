//! What crdkit's own crates use. Not part of the public API: anything here may change in any version.

// crdkit-tools.

pub mod crd {
    pub mod admission {
        pub use crate::crd::admission::{accepts, mismatch, prune_and_default};
    }

    #[cfg(feature = "cel")]
    pub mod cel {
        pub use crate::crd::cel::evaluate::{
            compiled::CompiledRules,
            run::{Failure, Unsupported},
        };
    }

    pub mod crd_accessors {
        pub use crate::crd::crd_accessors::{count, items, schema, values};

        pub mod read {
            pub use crate::crd::crd_accessors::read::{definition, json, schema};
        }
    }

    pub mod embed {
        pub use crate::crd::render::embed::{Type, types};
    }

    #[cfg(feature = "cel")]
    pub mod generate {
        pub use crate::crd::generate::{Node, Pattern, Random, format, value};
    }

    pub mod structural {
        pub use crate::crd::structural::{maximum, minimum};
    }
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

pub mod json {
    pub mod json_value {
        pub use crate::json::json_value::to_value;
    }
}

pub mod schema {
    pub use crate::schema::kubernetes::DURATION;
}

pub mod yaml {
    pub mod order {
        pub use crate::yaml::order::Order;
    }

    pub mod write {
        pub use crate::yaml::write::{Comments, commented, document, documents};
    }
}
