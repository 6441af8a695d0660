//! Schemas of the types of chrono.

use chrono::{DateTime, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Weekday};

use crate::schema::Keyword::Format;
use crate::schema::std_types::schemas;
use crate::schema::{KubeSchema, Schema, UnitVariant};

impl<Tz: TimeZone> KubeSchema for DateTime<Tz> {
    const SCHEMA: Schema = Schema::string().with(&[Format("date-time")]);
}

schemas! {
    NaiveDate => Schema::string().with(&[Format("date")]);
    // The server has no format for these.
    NaiveDateTime => Schema::string();
    NaiveTime => Schema::string();
    Month => Schema::enumeration(&[
        UnitVariant::new("January"),
        UnitVariant::new("February"),
        UnitVariant::new("March"),
        UnitVariant::new("April"),
        UnitVariant::new("May"),
        UnitVariant::new("June"),
        UnitVariant::new("July"),
        UnitVariant::new("August"),
        UnitVariant::new("September"),
        UnitVariant::new("October"),
        UnitVariant::new("November"),
        UnitVariant::new("December"),
    ]);
    Weekday => Schema::enumeration(&[
        UnitVariant::new("Mon"),
        UnitVariant::new("Tue"),
        UnitVariant::new("Wed"),
        UnitVariant::new("Thu"),
        UnitVariant::new("Fri"),
        UnitVariant::new("Sat"),
        UnitVariant::new("Sun"),
    ]);
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use serde_json::json;

    use super::super::super::accepts::{assert_accepts_serialized, assert_roundtrips};
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<DateTime<Utc>>(json!("2020-01-01T00:00:00Z"));
        assert_roundtrips::<NaiveDate>(json!("2020-01-01"));
        assert_roundtrips::<NaiveDateTime>(json!("2020-01-01T00:00:00"));
        assert_roundtrips::<NaiveTime>(json!("00:00:00"));
        for number in 0..12 {
            assert_accepts_serialized(Month::try_from(number + 1).unwrap());
            assert_accepts_serialized(Weekday::try_from(number % 7).unwrap());
        }
    }
}
