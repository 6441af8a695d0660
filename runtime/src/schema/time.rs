//! Schemas of the types of jiff, which every resource has through k8s-openapi, and of chrono.

use k8s_openapi::jiff::{SignedDuration, Span, Timestamp, Zoned, civil};

use super::Keyword::Format;
use super::std_types::schemas;
use super::{KubeSchema, Schema};

#[cfg(feature = "chrono")]
mod chrono;

schemas! {
    Timestamp => Schema::string().with(&[Format("date-time")]);
    civil::Date => Schema::string().with(&[Format("date")]);
    // The server has no format for these.
    Zoned => Schema::string();
    civil::DateTime => Schema::string();
    civil::ISOWeekDate => Schema::string();
    civil::Time => Schema::string();
    // The server's `duration` knows no years, and reads `PT1.5S` as five seconds.
    SignedDuration => Schema::string();
    Span => Schema::string();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::accepts::kept;
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        kept::<Timestamp>(json!("2020-01-01T00:00:00Z"));
        kept::<Zoned>(json!("2020-01-01T00:00:00+01:00[+01:00]"));
        kept::<civil::Date>(json!("2020-01-01"));
        kept::<civil::DateTime>(json!("2020-01-01T00:00:00"));
        kept::<civil::ISOWeekDate>(json!("2020-W01-3"));
        kept::<civil::Time>(json!("00:00:00"));
        kept::<SignedDuration>(json!("PT1.5S"));
        assert!(serde_json::from_value::<Span>(json!("P1Y")).is_ok());
    }
}
