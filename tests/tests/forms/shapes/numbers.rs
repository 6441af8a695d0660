//! Numbers, and types that serde writes as numbers.

use std::num::{NonZero, Saturating, Wrapping};

use crate::served_fields::forms;

forms! {
    boolean: bool = { "type": "boolean" },
    accepts [true, false], refuses [0, "true"];

    int8: i8 = { "type": "integer", "minimum": -128, "maximum": 127 },
    accepts [-128, 127], refuses [-129, 128, 0.5];

    int16: i16 = { "type": "integer", "minimum": -32768, "maximum": 32767 },
    accepts [-32768, 32767], refuses [-32769, 32768];

    int32: i32 = { "type": "integer", "format": "int32" },
    accepts [-2147483648, 2147483647], refuses [-2147483649_i64, 2147483648_i64];

    int64: i64 = { "type": "integer", "format": "int64" },
    accepts [i64::MIN, i64::MAX], refuses [1.5, "1"];

    int128: i128 = { "type": "integer" },
    accepts [i64::MIN, i64::MAX], refuses ["1", 0.5];

    intsize: isize = { "type": "integer", "format": "int64" },
    accepts [isize::MIN, isize::MAX], refuses [0.5];

    uint8: u8 = { "type": "integer", "minimum": 0, "maximum": 255 },
    accepts [0, 255], refuses [-1, 256];

    uint16: u16 = { "type": "integer", "minimum": 0, "maximum": 65535 },
    accepts [0, 65535], refuses [-1, 65536];

    uint32: u32 = { "type": "integer", "minimum": 0, "maximum": 4294967295_i64 },
    accepts [0, 4294967295_i64], refuses [-1, 4294967296_i64];

    uint64: u64 = { "type": "integer", "minimum": 0 },
    accepts [0, i64::MAX], refuses [-1];

    uint128: u128 = { "type": "integer", "minimum": 0 },
    accepts [0, i64::MAX], refuses [-1];

    uintsize: usize = { "type": "integer", "minimum": 0 },
    accepts [0], refuses [-1];

    nonzero_u8: NonZero<u8> = { "type": "integer", "minimum": 1, "maximum": 255 },
    accepts [1, 255], refuses [0, 256];

    nonzero_u64: NonZero<u64> = { "type": "integer", "minimum": 1 },
    accepts [1, i64::MAX], refuses [0];

    nonzero_i32: NonZero<i32> = { "type": "integer", "format": "int32", "anyOf": [{ "maximum": -1 }, { "minimum": 1 }] },
    accepts [-1, 1], refuses [0, 2147483648_i64];

    nonzero_i8: NonZero<i8> = {
        "type": "integer", "minimum": -128, "maximum": 127, "anyOf": [{ "maximum": -1 }, { "minimum": 1 }],
    },
    accepts [-128, -1, 1, 127], refuses [0, -129, 128];

    wrapped: Wrapping<Saturating<u8>> = { "type": "integer", "minimum": 0, "maximum": 255 },
    accepts [0, 255], refuses [256];

    float: f32 = { "type": "number", "format": "float" },
    accepts [0.5, -1.5], refuses ["0.5"];

    double: f64 = { "type": "number", "format": "double" },
    accepts [0.5, 1e300], refuses ["0.5"];

    character: char = { "type": "string", "minLength": 1, "maxLength": 1 },
    accepts ["a", "ß", "☃"], refuses ["", "ab", 1];
}
