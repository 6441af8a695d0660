//! How lists and maps are merged.

crate::placements::fragments! {
    Accepted {
        set: { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" };
        map: { "type": "array", "items": { "type": "object", "required": ["k"], "properties": { "k": { "type": "string" } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
        map_by_a_default: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string", "default": "a" } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
        atomic: { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" };
        granular: { "type": "object", "x-kubernetes-map-type": "granular", "properties": { "a": { "type": "string" } } };
        set_of_atomics: { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "array", "x-kubernetes-list-type": "atomic",
            "items": { "type": "string" } } };
    }
    L1 {
        list_type_of_text: { "type": "string", "x-kubernetes-list-type": "set" };
    }
    L2 {
        list_type_foo: { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "foo" };
    }
    L3 {
        keys_without_type: { "type": "array", "items": { "type": "object", "required": ["k"],
            "properties": { "k": { "type": "string" } } }, "x-kubernetes-list-map-keys": ["k"] };
    }
    L4 {
        map_without_keys: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string" } } },
            "x-kubernetes-list-type": "map" };
    }
    L5 {
        map_of_texts: { "type": "array", "items": { "type": "string" },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
    }
    L6 {
        map_key_missing: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string" } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["j"] };
    }
    L7 {
        map_key_object: { "type": "array", "items": { "type": "object", "required": ["k"],
            "properties": { "k": { "type": "object", "properties": { "a": { "type": "string" } } } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
    }
    L8 {
        map_key_twice: { "type": "array", "items": { "type": "object", "required": ["k"], "properties": { "k": { "type": "string" } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "k"] };
    }
    L9 {
        map_key_optional: { "type": "array", "items": { "type": "object", "properties": { "k": { "type": "string" } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
    }
    L10 {
        map_key_nullable: { "type": "array", "items": { "type": "object", "required": ["k"],
            "properties": { "k": { "type": "string", "nullable": true } } },
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
    }
    L11 {
        set_of_nullables: { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string", "nullable": true } };
        map_of_nullables: { "type": "array", "items": { "type": "object", "nullable": true, "required": ["k"],
            "properties": { "k": { "type": "string" } } }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
    }
    L12 {
        set_of_objects: { "type": "array", "x-kubernetes-list-type": "set",
            "items": { "type": "object", "properties": { "k": { "type": "string" } } } };
    }
    L13 {
        set_of_sets: { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "array", "x-kubernetes-list-type": "set",
            "items": { "type": "string" } } };
    }
    L14 {
        map_type_foo: { "type": "object", "x-kubernetes-map-type": "foo", "properties": { "a": { "type": "string" } } };
        map_type_of_text: { "type": "string", "x-kubernetes-map-type": "atomic" };
    }
    W2 {
        set_of_atomic_objects: { "type": "array", "x-kubernetes-list-type": "set",
            "items": { "type": "object", "x-kubernetes-map-type": "atomic", "properties": { "k": { "type": "string" } } } };
    }
}
