//! Times, addresses and other values that are written as text, or might be.

use std::{
    ffi::CString,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6},
    ops::{Range, RangeFrom, RangeInclusive, RangeTo},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use bytes::{Bytes, BytesMut};
use k8s_openapi::jiff::{SignedDuration, Span, Timestamp, Zoned, civil};
use url::Url;
use uuid::Uuid;

use crate::served_fields::forms;

forms! {
    text: String = { "type": "string" },
    accepts ["", "☃"], refuses [1];

    path: PathBuf = { "type": "string" },
    accepts ["/dev/null"], refuses [1];

    c_text: CString = { "type": "array", "items": { "type": "integer", "minimum": 1, "maximum": 255 } },
    accepts [[97, 98]], refuses [[0], "ab"];

    ip: IpAddr = {
        "type": "string", "anyOf": [{ "format": "ipv4", "pattern": "^[0-9.]+$" }, { "format": "ipv6" }],
    },
    accepts ["127.0.0.1", "::1", "::ffff:127.0.0.1"], refuses ["a", "127.0.0.256", "127.0.0.1:80", ""];

    ipv4: Ipv4Addr = { "type": "string", "format": "ipv4", "pattern": "^[0-9.]+$" },
    accepts ["127.0.0.1"], refuses ["::1", "::ffff:127.0.0.1", "127.1"];

    ipv6: Ipv6Addr = { "type": "string", "format": "ipv6" },
    accepts ["::1", "::ffff:127.0.0.1"], refuses ["127.0.0.1", "::1%1"];

    socket: SocketAddr = {
        "type": "string",
        "pattern": "^(((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])|\
            \\[[0-9A-Fa-f:.]+(%[0-9]+)?\\]):(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|\
            [1-9][0-9]{0,3}|0)$",
    },
    accepts ["127.0.0.1:80", "[::1]:65535"], refuses ["127.0.0.1", "127.0.0.1:65536", "::1:80", "a:80"];

    socket_v4: SocketAddrV4 = {
        "type": "string",
        "pattern": "^((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]):\
            (6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)$",
    },
    accepts ["127.0.0.1:80", "255.249.199.0:65535"], refuses ["[::1]:80", "256.0.0.1:80", "127.0.0.1:"];

    socket_v6: SocketAddrV6 = {
        "type": "string",
        "pattern": "^\\[[0-9A-Fa-f:.]+(%[0-9]+)?\\]:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|\
            [1-5][0-9]{4}|[1-9][0-9]{0,3}|0)$",
    },
    accepts ["[::1]:80", "[::1%2]:80"], refuses ["127.0.0.1:80", "::1"];

    web: Url = { "type": "string", "format": "uri", "pattern": "^[A-Za-z][A-Za-z0-9+.-]*:" },
    accepts ["https://example.com/a?b=c#d", "mailto:a@example.com"], refuses ["/a", "example.com", "", "https:// a"];

    id: Uuid = {
        "type": "string",
        "format": "uuid",
        "pattern": "^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
    },
    accepts ["67e55044-10b1-426f-9247-bb680e5fe0c8", "00000000-0000-0000-0000-000000000000"],
    refuses ["67e5504410b1-426f-9247-bb680e5fe0c8", "a", "67e55044-10b1-426f-9247-bb680e5fe0cg"];

    bytes: Bytes = { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
    accepts [[], [0, 255]], refuses [[256], 1];

    bytes_mut: BytesMut = { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
    accepts [[1]], refuses [[-1]];

    duration: Duration = {
        "type": "object",
        "properties": {
            "secs": { "type": "integer", "minimum": 0 },
            "nanos": { "type": "integer", "minimum": 0, "maximum": 999999999 },
        },
        "required": ["nanos", "secs"],
    },
    accepts [{ "secs": 1, "nanos": 999999999 }], refuses [{ "secs": 1 }, { "secs": -1, "nanos": 0 }, "1s"];

    system_time: SystemTime = {
        "type": "object",
        "properties": {
            "secs_since_epoch": { "type": "integer", "minimum": 0 },
            "nanos_since_epoch": { "type": "integer", "minimum": 0, "maximum": 999999999 },
        },
        "required": ["nanos_since_epoch", "secs_since_epoch"],
    },
    accepts [{ "secs_since_epoch": 1, "nanos_since_epoch": 0 }], refuses [{ "secs_since_epoch": 1 }];

    range: Range<u8> = {
        "type": "object",
        "properties": {
            "start": { "type": "integer", "minimum": 0, "maximum": 255 },
            "end": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["end", "start"],
    },
    accepts [{ "start": 1, "end": 2 }], refuses [{ "start": 1 }, { "start": 1, "end": 256 }];

    inclusive: RangeInclusive<bool> = {
        "type": "object",
        "properties": { "start": { "type": "boolean" }, "end": { "type": "boolean" } },
        "required": ["end", "start"],
    },
    accepts [{ "start": false, "end": true }], refuses [{ "end": true }];

    from: RangeFrom<bool> = {
        "type": "object", "properties": { "start": { "type": "boolean" } }, "required": ["start"],
    },
    accepts [{ "start": true }], refuses [{}];

    to: RangeTo<bool> = {
        "type": "object", "properties": { "end": { "type": "boolean" } }, "required": ["end"],
    },
    accepts [{ "end": true }], refuses [{}];

    timestamp: Timestamp = { "type": "string", "format": "date-time" },
    accepts ["2020-01-01T00:00:00Z"], refuses ["2020-01-01", "now"];

    date: civil::Date = { "type": "string", "format": "date" },
    accepts ["2020-01-01"], refuses ["2020-13-01", "2020-01-01T00:00:00Z"];

    time_of_day: civil::Time = { "type": "string" },
    accepts ["12:00:00"], refuses [12];

    moment: civil::DateTime = { "type": "string" },
    accepts ["2020-01-01T12:00:00"], refuses [1];

    week: civil::ISOWeekDate = { "type": "string" },
    accepts ["2020-W01-3"], refuses [1];

    zoned: Zoned = { "type": "string" },
    accepts ["2020-01-01T00:00:00+01:00[+01:00]"], refuses [1];

    signed: SignedDuration = {
        "type": "string",
        "anyOf": [
            { "format": "duration", "pattern": "^([^DdWwP]|[A-Za-z][Dd])*$" },
            {
                "pattern": "^[+-]?PT([0-9]{1,9}H([0-9]{1,9}M)?([0-9]{1,9}([.,][0-9]{1,9})?S)?|\
                    [0-9]{1,9}M([0-9]{1,9}([.,][0-9]{1,9})?S)?|[0-9]{1,9}([.,][0-9]{1,9})?S)$",
            },
        ],
    },
    accepts ["PT1.5S", "-PT1H"], refuses [1, "a", "PT", "-P1Y", "", "1d", "2 weeks", "1D", "P1D", "P1W", "P1M"];

    span: Span = {
        "type": "string",
        "anyOf": [
            { "format": "duration" },
            {
                "pattern": "^[+-]?P(([0-9]{1,4}Y([0-9]{1,4}M)?([0-9]{1,4}W)?([0-9]{1,4}D)?|\
                    [0-9]{1,4}M([0-9]{1,4}W)?([0-9]{1,4}D)?|[0-9]{1,4}W([0-9]{1,4}D)?|[0-9]{1,4}D)\
                    (T([0-9]{1,9}H([0-9]{1,9}M)?([0-9]{1,9}([.,][0-9]{1,9})?S)?|\
                    [0-9]{1,9}M([0-9]{1,9}([.,][0-9]{1,9})?S)?|[0-9]{1,9}([.,][0-9]{1,9})?S))?|\
                    T([0-9]{1,9}H([0-9]{1,9}M)?([0-9]{1,9}([.,][0-9]{1,9})?S)?|\
                    [0-9]{1,9}M([0-9]{1,9}([.,][0-9]{1,9})?S)?|[0-9]{1,9}([.,][0-9]{1,9})?S))$",
            },
        ],
    },
    accepts ["P1Y2M", "-P1W", "P1DT2H"], refuses [1, "a", "P", "1x"];

    chrono_time: chrono::DateTime<chrono::Utc> = { "type": "string", "format": "date-time" },
    accepts ["2020-01-01T00:00:00Z"], refuses ["2020-01-01"];

    naive_date: chrono::NaiveDate = { "type": "string", "format": "date" },
    accepts ["2020-01-01"], refuses ["2020"];

    naive_time: chrono::NaiveTime = { "type": "string" },
    accepts ["12:00:00"], refuses [1];

    naive_moment: chrono::NaiveDateTime = { "type": "string" },
    accepts ["2020-01-01T12:00:00"], refuses [1];

    weekday: chrono::Weekday = { "type": "string", "enum": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] },
    accepts ["Mon"], refuses ["Monday", 1];
}
