//! Schemas of the types of jiff, which every resource uses through k8s-openapi, and of chrono.

use k8s_openapi::jiff::{SignedDuration, Span, Timestamp, Zoned, civil};

use super::Keyword::{Format, Pattern};
use super::std_types::schemas;
use super::{KubeSchema, Schema, Tagging, Variant};

#[cfg(feature = "chrono")]
mod chrono;

/// Text in the server's format for durations, or an ISO 8601 duration, which may have units that the server does not
/// support, such as years.
///
/// For rules it is text: with the format, they would interpret `PT1.5S` as five seconds.
macro_rules! duration {
    ($iso:expr $(, $friendly:expr)?) => {
        Schema::one_of(
            Tagging::Untagged,
            &[
                Variant::new("friendly")
                    .with(&Schema::string().with(&[Format("duration") $(, Pattern($friendly))?])),
                Variant::new("iso").with(&Schema::string().with(&[Pattern($iso)])),
            ],
        )
    };
}

/// The parts of patterns, as macros because `concat!` takes literals.
#[rustfmt::skip]
macro_rules! part {
    (date) => {
        "([0-9]{1,4}Y([0-9]{1,4}M)?([0-9]{1,4}W)?([0-9]{1,4}D)?|[0-9]{1,4}M([0-9]{1,4}W)?([0-9]{1,4}D)?|\
         [0-9]{1,4}W([0-9]{1,4}D)?|[0-9]{1,4}D)"
    };
    (seconds) => { "[0-9]{1,9}([.,][0-9]{1,9})?S" };
    (time) => {
        concat!(
            "T([0-9]{1,9}H([0-9]{1,9}M)?(", part!(seconds), ")?|[0-9]{1,9}M(", part!(seconds), ")?|", part!(seconds), ")"
        )
    };
}

/// A duration without days and weeks, whose length varies, and not in ISO 8601 form. A `d` after a letter belongs to a
/// unit of seconds.
const NO_DAYS: &str = "^([^DdWwP]|[A-Za-z][Dd])*$";

schemas! {
    Timestamp => Schema::string().with(&[Format("date-time")]);
    civil::Date => Schema::string().with(&[Format("date")]);
    // The server has no format for these.
    Zoned => Schema::string();
    civil::DateTime => Schema::string();
    civil::ISOWeekDate => Schema::string();
    civil::Time => Schema::string();
    SignedDuration => duration!(concat!("^[+-]?P", part!(time), "$"), NO_DAYS);
    Span => duration!(concat!("^[+-]?P(", part!(date), "(", part!(time), ")?|", part!(time), ")$"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<Timestamp>(json!("2020-01-01T00:00:00Z"));
        assert_roundtrips::<Zoned>(json!("2020-01-01T00:00:00+01:00[+01:00]"));
        assert_roundtrips::<civil::Date>(json!("2020-01-01"));
        assert_roundtrips::<civil::DateTime>(json!("2020-01-01T00:00:00"));
        assert_roundtrips::<civil::ISOWeekDate>(json!("2020-W01-3"));
        assert_roundtrips::<civil::Time>(json!("00:00:00"));
        assert_roundtrips::<SignedDuration>(json!("PT1.5S"));
        assert!(serde_json::from_value::<Span>(json!("P1Y")).is_ok());
    }
}
