//! The description of a field that is an `Option` of an enum: that of the field or that of the enum.

use kube::CustomResourceExt;
use serde_json::{Value, json};

macro_rules! derived {
    ($module:ident { $($derives:item)+ }) => {
        #[allow(dead_code)]
        mod $module {
            $($derives)+
            use serde::{Deserialize, Serialize};

            #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[kube(group = "dropin.example.com", version = "v1", kind = "Words")]
            pub(super) struct WordsSpec {
                /// Of the field.
                level: Option<Level>,
            }

            /// Of the enum.
            #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
            enum Level {
                /// Of the variant.
                Low,
                High,
            }
        }
    };
}

derived! {
    theirs {
        use kube::CustomResource;
        use schemars::JsonSchema;
    }
}

derived! {
    ours {
        use crdkit::{CustomResource, JsonSchema};
    }
}

fn words_of_the_field(definition: &Value) -> &str {
    const LEVEL: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/level/description";
    definition.pointer(LEVEL).and_then(Value::as_str).unwrap()
}

#[test]
fn the_words_of_a_field_win_over_those_of_its_enum() {
    assert_eq!(words_of_the_field(&json!(theirs::Words::crd())), "Of the enum.");
    assert_eq!(words_of_the_field(&json!(ours::Words::crd())), "Of the field.\n\n- `Low`: Of the variant.");
}
