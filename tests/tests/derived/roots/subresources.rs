//! Scale and selectable fields that a resource names itself.

use super::{BOTH, OPEN, SPEC};

definitions! {
    Accepted {
        selectable: BOTH.selectable_fields(&[".spec.text", ".spec.flag", ".spec.count", ".spec.part.text"]);
        selectable_eight: BOTH.selectable_fields(&[".spec.text", ".spec.flag", ".spec.count", ".spec.part.text",
            ".spec.map.a", ".spec.map.b", ".spec.map.c", ".spec.map.d"]);
        selectable_in_a_map: BOTH.selectable_fields(&[".spec.map.a"]);
        selectable_time: BOTH.selectable_fields(&[".spec.time"]);
        selectable_status: BOTH.selectable_fields(&[".status.phase", ".status.ready", ".status.replicas"]);
        scale: BOTH.scale_by_paths(".spec.count", ".status.replicas", Some(".status.phase"));
        scale_without_a_selector: BOTH.scale_by_paths(".spec.count", ".status.replicas", None);
        scale_with_a_selector_in_the_spec: BOTH.scale_by_paths(".spec.count", ".status.replicas", Some(".spec.text"));
        // What has no status yet gets it from elsewhere.
        scale_without_status: SPEC.scale_by_paths(".spec.count", ".status.replicas", None);
        scale_of_an_open_status: OPEN.scale_by_paths(".spec.count", ".status.replicas", None);
    }
    F1 {
        selectable_nothing: BOTH.selectable_fields(&[""]);
    }
    F2 {
        selectable_brackets: BOTH.selectable_fields(&[".spec['text']"]);
        selectable_end: BOTH.selectable_fields(&[".spec.text."]);
        selectable_without_a_dot: BOTH.selectable_fields(&["spec.text"]);
    }
    F3 {
        selectable_in_any: BOTH.selectable_fields(&[".spec.any.a"]);
        selectable_in_raw: BOTH.selectable_fields(&[".spec.raw.a"]);
        selectable_kind_of_a_resource: BOTH.selectable_fields(&[".spec.resource.kind"]);
        selectable_kind: BOTH.selectable_fields(&[".kind"]);
        selectable_missing: BOTH.selectable_fields(&[".spec.none"]);
        selectable_through_text: BOTH.selectable_fields(&[".spec.text.a"]);
        selectable_through_a_list: BOTH.selectable_fields(&[".spec.list.a"]);
        selectable_in_an_open_status: OPEN.selectable_fields(&[".status.phase"]);
        selectable_in_no_status: SPEC.selectable_fields(&[".status.phase"]);
    }
    F4 {
        selectable_name: BOTH.selectable_fields(&[".metadata.name"]);
    }
    F5 {
        selectable_number: BOTH.selectable_fields(&[".spec.share"]);
        selectable_object: BOTH.selectable_fields(&[".spec.part"]);
        selectable_list: BOTH.selectable_fields(&[".spec.list"]);
        selectable_map: BOTH.selectable_fields(&[".spec.map"]);
        selectable_any: BOTH.selectable_fields(&[".spec.any"]);
        selectable_raw: BOTH.selectable_fields(&[".spec.raw"]);
        selectable_resource: BOTH.selectable_fields(&[".spec.resource"]);
        selectable_either: BOTH.selectable_fields(&[".spec.either"]);
        selectable_open_status: OPEN.selectable_fields(&[".status"]);
    }
    F6 {
        selectable_twice: BOTH.selectable_fields(&[".spec.text", ".spec.text"]);
    }
    F7 {
        selectable_nine: BOTH.selectable_fields(&[".spec.text", ".spec.flag", ".spec.count", ".spec.part.text",
            ".spec.map.a", ".spec.map.b", ".spec.map.c", ".spec.map.d", ".spec.map.e"]);
    }
    R1 {
        scale_of_nothing: BOTH.scale_by_paths("", ".status.replicas", None);
        scale_without_a_dot: BOTH.scale_by_paths("spec.count", ".status.replicas", None);
        scale_outside_the_spec: BOTH.scale_by_paths(".status.replicas", ".status.replicas", None);
    }
    R2 {
        scale_of_no_status: BOTH.scale_by_paths(".spec.count", "", None);
        scale_outside_the_status: BOTH.scale_by_paths(".spec.count", ".spec.count", None);
    }
    R3 {
        scale_with_a_selector_without_a_dot: BOTH.scale_by_paths(".spec.count", ".status.replicas", Some("status.phase"));
        scale_with_a_selector_outside: BOTH.scale_by_paths(".spec.count", ".status.replicas", Some(".metadata.name"));
    }
    X48 {
        scale_of_text: BOTH.scale_by_paths(".spec.text", ".status.replicas", None);
        scale_of_a_missing_field: BOTH.scale_by_paths(".spec.none", ".status.replicas", None);
        scale_of_a_ready_status: BOTH.scale_by_paths(".spec.count", ".status.ready", None);
        scale_with_a_selector_of_numbers: BOTH.scale_by_paths(".spec.count", ".status.replicas", Some(".status.replicas"));
    }
}
