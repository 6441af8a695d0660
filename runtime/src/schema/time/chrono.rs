//! Schemas of the types of chrono.

use chrono::{DateTime, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Weekday};

use crate::schema::Keyword::Format;
use crate::schema::std_types::schemas;
use crate::schema::{KubeSchema, Schema, Variant};

impl<Tz: TimeZone> KubeSchema for DateTime<Tz> {
    const SCHEMA: Schema = Schema::string().with(&[Format("date-time")]);
}

schemas! {
    NaiveDate => Schema::string().with(&[Format("date")]);
    // The server has no format for these.
    NaiveDateTime => Schema::string();
    NaiveTime => Schema::string();
    Month => Schema::enumeration(&[
        Variant::new("January"),
        Variant::new("February"),
        Variant::new("March"),
        Variant::new("April"),
        Variant::new("May"),
        Variant::new("June"),
        Variant::new("July"),
        Variant::new("August"),
        Variant::new("September"),
        Variant::new("October"),
        Variant::new("November"),
        Variant::new("December"),
    ]);
    Weekday => Schema::enumeration(&[
        Variant::new("Mon"),
        Variant::new("Tue"),
        Variant::new("Wed"),
        Variant::new("Thu"),
        Variant::new("Fri"),
        Variant::new("Sat"),
        Variant::new("Sun"),
    ]);
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use serde_json::json;

    use super::super::super::accepts::{kept, written};
    use super::*;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        kept::<DateTime<Utc>>(json!("2020-01-01T00:00:00Z"));
        kept::<NaiveDate>(json!("2020-01-01"));
        kept::<NaiveDateTime>(json!("2020-01-01T00:00:00"));
        kept::<NaiveTime>(json!("00:00:00"));
        for number in 0..12 {
            written(Month::try_from(number + 1).unwrap());
            written(Weekday::try_from(number % 7).unwrap());
        }
    }
}
