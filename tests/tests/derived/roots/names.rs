//! Groups, versions, names, metadata, sizes.

use crdkit::{
    KubeSchema,
    definition::{Definition, Deprecation, DerivedRoot},
    schema::Keyword,
};

use super::{BOTH, Part, SPEC, Spec};
use crate::with_root;

const fn of_group(group: &'static str) -> Definition {
    let mut definition = SPEC;
    definition.group = group;
    definition
}

const fn of_version(version: &'static str) -> Definition {
    let mut definition = SPEC;
    definition.version = version;
    definition
}

const fn of_kind(kind: &'static str, list_kind: &'static str) -> Definition {
    let mut definition = SPEC;
    definition.kind = kind;
    definition.list_kind = list_kind;
    definition
}

const fn of_names(plural: &'static str, singular: &'static str) -> Definition {
    let mut definition = SPEC;
    definition.plural = plural;
    definition.singular = singular;
    definition
}

const fn described(description: &'static [Keyword]) -> Definition {
    with_root(DerivedRoot::new(Spec::SCHEMA_REF).with(description))
}

const fn of_name(plural: &'static str, group: &'static str) -> Definition {
    let mut definition = of_names(plural, "case");
    definition.group = group;
    definition
}

/// A group of `N` bytes.
const fn group<const N: usize>() -> [u8; N] {
    let mut bytes = [b'a'; N];
    bytes[60] = b'.';
    bytes
}

/// A text of `N` bytes.
const fn text<const N: usize>(bytes: &'static [u8; N]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("letters are UTF-8"),
    }
}

const LETTERS_63: &str = text(&[b'a'; 63]);
const LETTERS_64: &str = text(&[b'a'; 64]);
const LETTERS_189: &str = text(&group::<189>());
const LETTERS_190: &str = text(&group::<190>());
const LETTERS_256: &str = text(&[b'a'; 256]);
const LETTERS_257: &str = text(&[b'a'; 257]);
const LONG: &str = text(&[b'a'; 262_143]);
const TOO_LONG: &str = text(&[b'a'; 262_144]);
const NEARLY_MANY: &str = text(&[b'a'; 1_571_300]);
const MANY: &str = text(&[b'a'; 1_600_000]);
const APPROVAL: &str = "api-approved.kubernetes.io";

definitions! {
    Accepted {
        spec: SPEC;
        status: BOTH;
        namespaced: SPEC.namespaced();
        group: of_group("1.a-b.example.com");
        group_of_letters: of_group("x-k8s.io");
        group_approved: of_group("a.k8s.io").annotations(&[(APPROVAL, "https://example.com/1")]);
        group_unapproved: of_group("a.kubernetes.io").annotations(&[(APPROVAL, "unapproved, for now")]);
        version: of_version("v1beta1");
        version_of_letters: of_version("foo");
        name: of_name(LETTERS_63, LETTERS_189);
        kind: of_kind("Case-1", "Cases");
        kind_of_lists: of_kind(LETTERS_63, "Cases");
        plural: of_names(LETTERS_63, "case");
        singular: of_names("cases", LETTERS_63);
        short_names: SPEC.short_names(&["ca", "cs"]).categories(&["all"]);
        labels: SPEC.labels(&[("a.b/c", "d")]).annotations(&[("a.b/c", "d e")]);
        label_of_nothing: SPEC.labels(&[("a", "")]);
        annotation_of_case: SPEC.annotations(&[("A.com/a", "b")]);
        annotation_of_all: SPEC.annotations(&[("a", LONG)]);
        deprecated: SPEC.deprecated(Deprecation::Default);
        deprecated_with_words: SPEC.deprecated(Deprecation::Warning("use v2"));
        deprecated_with_all: SPEC.deprecated(Deprecation::Warning(LETTERS_256));
        described: described(&[Keyword::Description("Words.")]);
    }
    A1 {
        group_of_kubernetes: of_group("a.k8s.io");
        group_without_words: of_group("a.k8s.io").annotations(&[(APPROVAL, "")]);
    }
    A2 {
        group_approved_by_a_word: of_group("a.k8s.io").annotations(&[(APPROVAL, "yes")]);
        group_approved_by_no_url: of_group("a.k8s.io").annotations(&[(APPROVAL, "a://")]);
    }
    N1 {
        group_of_nothing: of_group("");
    }
    N2 {
        group_in_capitals: of_group("Example.com");
        group_with_an_end: of_group("example.com.");
    }
    N3 {
        group_without_a_dot: of_group("example");
    }
    N5 {
        kind_of_nothing: of_kind("", "CaseList");
        plural_of_nothing: of_names("", "case");
    }
    N6 {
        plural_in_capitals: of_names("Cases", "case");
        plural_too_long: of_names(LETTERS_64, "case");
        singular_with_a_dot: of_names("cases", "a.b");
        short_name: SPEC.short_names(&["c_a"]);
        category: SPEC.categories(&["All"]);
    }
    N7 {
        kind_with_a_line: of_kind("Case_1", "CaseList");
        kind_too_long: of_kind(LETTERS_64, "CaseList");
        kind_of_lists_with_a_line: of_kind("Case", "Case_List");
    }
    N8 {
        kind_of_lists_of_its_own: of_kind("Case", "Case");
    }
    M2 {
        name_too_long: of_name(LETTERS_63, LETTERS_190);
    }
    M5 {
        label_key: SPEC.labels(&[("a b", "d")]);
        label_value: SPEC.labels(&[("a", "b c")]);
        label_value_too_long: SPEC.labels(&[("a", LETTERS_64)]);
        label_prefix_in_capitals: SPEC.labels(&[("A.com/a", "b")]);
        annotation_key: SPEC.annotations(&[("a/b/c", "d")]);
    }
    V1 {
        version_in_capitals: of_version("V1");
        version_with_a_dot: of_version("v1.0");
    }
    V6 {
        deprecated_with_nothing: SPEC.deprecated(Deprecation::Warning(""));
        deprecated_with_too_much: SPEC.deprecated(Deprecation::Warning(LETTERS_257));
        deprecated_unprintable: SPEC.deprecated(Deprecation::Warning("use\u{a0}v2"));
        deprecated_joined: SPEC.deprecated(Deprecation::Warning("\u{200d}"));
    }
    X40 {
        unserved: SPEC.unserved();
    }
    X44 {
        kind_in_lower_case: of_kind("cases", "CaseList");
    }
    X42 {
        short_name_twice: SPEC.short_names(&["c", "c"]);
        category_twice: SPEC.categories(&["all", "all"]);
    }
    Z1 {
        annotation_too_long: SPEC.annotations(&[("a", TOO_LONG)]);
    }
    Z2 {
        too_large: described(&[Keyword::Description(MANY)]);
    }
    Z5 {
        nearly_too_large: with_root(DerivedRoot::new(Part::SCHEMA_REF).with(&[Keyword::Description(NEARLY_MANY)]));
    }
    Z4 {
        large: described(&[Keyword::Description(TOO_LONG)]);
    }
}
