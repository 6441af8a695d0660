//! English plurals, formed as by kube-derive, and irregular nouns.

/// The plural of a lower-case word.
pub(crate) fn pluralize(word: &str) -> String {
    if ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end)) {
        return format!("{word}es");
    }
    match word.strip_suffix('y') {
        Some(stem) if stem.ends_with(|c| !is_vowel(c)) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// The plural of a name such as `RootCauseAnalysis` or `analysis`, in lower case, if its last word is irregular.
pub(crate) fn irregular_plural(name: &str) -> Option<String> {
    let at = name.rfind(|c: char| c.is_ascii_uppercase()).unwrap_or_default();
    let (first, last) = name.split_at(at);
    let last = last.to_ascii_lowercase();
    let (_, plural) = IRREGULAR.iter().find(|(singular, _)| *singular == last)?;
    Some(first.to_ascii_lowercase() + plural)
}

/// Nouns whose plural is not what [`pluralize`] returns.
const IRREGULAR: &[(&str, &str)] = &[
    ("analysis", "analyses"),
    ("axis", "axes"),
    ("basis", "bases"),
    ("calf", "calves"),
    ("child", "children"),
    ("credentials", "credentials"),
    ("crisis", "crises"),
    ("criterion", "criteria"),
    ("data", "data"),
    ("datum", "data"),
    ("defaults", "defaults"),
    ("diagnosis", "diagnoses"),
    ("echo", "echoes"),
    ("embargo", "embargoes"),
    ("endpoints", "endpoints"),
    ("equipment", "equipment"),
    ("fish", "fish"),
    ("foot", "feet"),
    ("goose", "geese"),
    ("half", "halves"),
    ("hero", "heroes"),
    ("hypothesis", "hypotheses"),
    ("information", "information"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("limits", "limits"),
    ("loaf", "loaves"),
    ("man", "men"),
    ("metadata", "metadata"),
    ("metrics", "metrics"),
    ("mouse", "mice"),
    ("news", "news"),
    ("options", "options"),
    ("ox", "oxen"),
    ("permissions", "permissions"),
    ("person", "people"),
    ("phenomenon", "phenomena"),
    ("preferences", "preferences"),
    ("quiz", "quizzes"),
    ("self", "selves"),
    ("series", "series"),
    ("settings", "settings"),
    ("sheep", "sheep"),
    ("shelf", "shelves"),
    ("species", "species"),
    ("statistics", "statistics"),
    ("synopsis", "synopses"),
    ("synthesis", "syntheses"),
    ("thesis", "theses"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("torpedo", "torpedoes"),
    ("veto", "vetoes"),
    ("wife", "wives"),
    ("wolf", "wolves"),
    ("woman", "women"),
];

#[cfg(test)]
mod tests {
    use super::{IRREGULAR, irregular_plural, pluralize};

    #[test]
    fn plurals() {
        for (word, plural) in [
            ("at", "ats"),
            ("virtualmachine", "virtualmachines"),
            ("fox", "foxes"),
            ("policy", "policies"),
            ("gateway", "gateways"),
            ("mesh", "meshes"),
            ("y", "ys"),
        ] {
            assert_eq!(pluralize(word), plural);
        }
    }

    #[test]
    fn irregular_nouns_end_a_name() {
        for (name, plural) in [
            ("Analysis", "analyses"),
            ("RootCauseAnalysis", "rootcauseanalyses"),
            ("analysis", "analyses"),
            ("DNSSettings", "dnssettings"),
        ] {
            assert_eq!(irregular_plural(name).as_deref(), Some(plural));
        }
        for regular in ["Human", "human", "Status", "Index", "AnalysisRun", "Class", ""] {
            assert_eq!(irregular_plural(regular), None);
        }
    }

    #[test]
    fn irregular_nouns_are_not_pluralized_correctly() {
        assert!(IRREGULAR.is_sorted());
        for (singular, plural) in IRREGULAR {
            assert_ne!(pluralize(singular), *plural);
        }
    }
}
