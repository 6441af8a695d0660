//! The text of values in errors, as Go's `%v` writes it.

use core::fmt;

use super::value::Value;
use crate::{cel::decl_type::ListType, go, json::Json};

impl Value<'_> {
    /// Returns the name of the Go type.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "types.Null",
            Self::Bool(_) => "types.Bool",
            Self::Int(_) => "types.Int",
            Self::Uint(_) => "types.Uint",
            Self::Double(_) => "types.Double",
            Self::Text(_) => "types.String",
            Self::Bytes(_) => "types.Bytes",
            Self::Timestamp(_) => "types.Timestamp",
            Self::Duration(_) => "types.Duration",
            Self::Type(_) => "*types.Type",
            Self::Data(Json::Array(_), declared) if self.is_of_schema() => match declared.list_type {
                ListType::Atomic => "*common.unstructuredList",
                ListType::Set => "*common.unstructuredSetList",
                ListType::Map(_) => "*common.unstructuredMapList",
            },
            Self::Data(..) if self.is_of_schema() => "*common.unstructuredMap",
            Self::List(_) | Self::Data(Json::Array(_), _) => "*types.baseList",
            Self::Map(_) | Self::Data(..) => "*types.baseMap",
            Self::Optional(_) => "*types.Optional",
            Self::Library(value) => value.go_type(),
            Self::Message(_) => "*types.protoObj",
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("0"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Uint(value) => write!(f, "{value}"),
            Self::Double(value) => f.write_str(&number(*value)),
            Self::Text(text) => f.write_str(text),
            Self::Type(name) => f.write_str(name),
            Self::Bytes(bytes) => write!(f, "{bytes:?}"),
            Self::Timestamp(time) => f.write_str(&time.format(time.offset)),
            Self::Duration(nanos) => f.write_str(&go_duration(*nanos)),
            Self::Optional(None) => f.write_str("optional.none()"),
            Self::Optional(Some(value)) => write!(f, "optional({value})"),
            Self::Library(value) => write!(f, "{value}"),
            Self::Message(message) => f.write_str(&message.name),
            list if list.is_list() => {
                f.write_str("[")?;
                for (at, [item, _]) in list.each(false).into_iter().flatten().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    write!(f, "{}", item.unwrap_or_default())?;
                }
                f.write_str("]")
            }
            map => {
                f.write_str("{")?;
                for (at, [key, value]) in map.each(true).into_iter().flatten().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    write!(f, "{}: {}", key.unwrap_or_default(), value.unwrap_or_default())?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Formats a number as `%g`.
pub(super) fn number(value: f64) -> alloc::string::String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    go::number(value)
}

/// Formats a duration as Go does it: `1h30m0s`.
#[allow(clippy::cast_precision_loss)] // exact below a second
pub(super) fn go_duration(nanos: i64) -> alloc::string::String {
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs();
    let small = |unit: u64, name: &str| alloc::format!("{sign}{}{name}", size as f64 / unit as f64);
    match size {
        0 => "0s".into(),
        1..1_000 => small(1, "ns"),
        1_000..1_000_000 => small(1_000, "\u{B5}s"),
        1_000_000..1_000_000_000 => small(1_000_000, "ms"),
        _ => {
            let (seconds, rest) = (size / 1_000_000_000, size % 1_000_000_000);
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            let mut text = alloc::string::String::from(sign);
            if hours > 0 {
                text.push_str(&alloc::format!("{hours}h"));
            }
            if hours > 0 || minutes > 0 {
                text.push_str(&alloc::format!("{minutes}m"));
            }
            let mut second = alloc::format!("{}.{rest:09}", seconds % 60);
            second.truncate(second.trim_end_matches('0').trim_end_matches('.').len());
            text + &second + "s"
        }
    }
}
