use crdkit_core::literal::formats::STRING_FORMATS;

use crdkit_oracles::{Random, responses, seed};

/// The number of texts for each format.
const TEXTS_EACH: usize = 3_000;

/// Texts of each format, and nearly valid ones.
fn seeds(name: &str) -> &'static [&'static str] {
    match name {
        "bsonobjectid" => &["507f1f77bcf86cd799439011"],
        "byte" => &["AAECAw==", "YQ==", "YWJj", "a+/z"],
        "cidr" => &["10.0.0.0/8", "2001:db8::/32", "::ffff:1.2.3.4/96", "010.0.0.0/08"],
        "creditcard" => &[
            "4111111111111111",
            "4222222222222",
            "5500-0000-0000-0004",
            "340000000000009",
            "30000000000004",
            "6011000000000004",
            "6500000000000002",
            "201400000000009",
            "213100000000008",
            "3530111333300000",
            "180000000000002",
            "36000000000008",
        ],
        "date" => &["2030-01-31", "2020-02-29", "1900-02-28", "0000-12-31", "2021-04-30"],
        "date-time" => &[
            "2030-01-31T12:00:00Z",
            "1999-12-31T23:59:59.125Z",
            "2020-02-29t00:00:00+01:00",
            "2020-02-29T00:00:00-9:00",
            "2020-01-01T00:00:00ZT",
        ],
        "duration" => &[
            "1h30m",
            "2s",
            "PT1H",
            "1 day",
            "-1.5µs",
            "+0",
            ".5h",
            "1.h",
            "3 weeks 2 days",
            "5\u{3BC}s",
            "1 hrs",
            "9223372036854775807ns",
            "2562047h47m16.854775807s",
            "-9223372036854775808ns",
            "9223372036854775808s 1h",
            "0.9999999999999999999999h",
            "12 nanoseconds",
            "1wk",
            "0.00000000000000000001s",
        ],
        "email" => &[
            "a@example.com",
            "A. B. <a.b@c>",
            "\"a \\\" b\"@c",
            "a@[::1]",
            "a@[10.0.0.1]",
            "x@y (c (d) \\) e)",
            "=?utf-8?q?a=20b?= <a@b>",
            "=?koi8?b?YQ==?= <a@b>",
            "A =?koi8?q?a?= <a@b>",
            "g: a@b;",
            "g:;",
            "ß@ß.de",
            " a @ b",
            "\"\"@b",
            "a@b (=?koi8?q?a?=)",
            "a@b (=?koi8?q?\ra?=)",
            "a@b (=?koi8?b?Y\nQ==?=)",
            "a@b (=\\?koi8?q?a?=)",
            "g: a@b, c@d;",
            "a..b <a@b>",
            "<a@b> (c)",
            "(c) a@b",
            "a (c) <a@b>",
        ],
        "hexcolor" => &["#ffffff", "fff", "#FFA"],
        "hostname" => &[
            "a.example.com",
            "localhost",
            "a-b",
            "ß.de",
            "☃.com",
            "a1.b2.museum",
            "1.2.3.4",
            "a--b.cd",
            "xn--a.de",
            "a𞤀.zz",
        ],
        "ipv4" => &["127.0.0.1", "010.20.030.40", "::ffff:1.2.3.4", "255.255.255.255"],
        "ipv6" => &[
            "::1",
            "2001:db8::a",
            "1:2:3:4:5:6:7:8",
            "::ffff:1.2.3.4",
            "fe80::1%eth0",
            "1:2:3:4:5:6:1.2.3.4",
            "1::8",
            "0001::",
        ],
        "isbn" | "isbn10" | "isbn13" => &["0321751043", "978-0-321-75104-1", "080442957X", "9780321751041"],
        "k8s-long-name" | "k8s-short-name" => &["a", "a-b", "a.b-c", "1.2", "a--b"],
        "mac" => &[
            "01:02:03:04:05:06",
            "01-02-03-04-05-06-07-08",
            "0102.0304.0506",
            "010203040506",
            "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01",
            "0000.0000.fe80.0000.0000.0000.0200.5e10.0000.0001",
            "0102030405060708",
        ],
        "password" => &["secret", ""],
        "rgbcolor" => &["rgb(100,100,100)", "rgb( 0,\t255 , 9)"],
        "ssn" => &["111-11-1111", "111 11 1111"],
        "uri" => &[
            "https://example.com/a?b=c",
            "http://localhost:80/",
            "/a/b#c",
            "mailto:a@b",
            "http://[::1]:80/",
            "http://[fe80::1%25en0]/",
            "http://u:p@h/",
            "http://a%C3%A9b/",
            "x://a:1,b:2/",
            "http://a:1,b:2/",
            "*",
            "a:/b//c",
            "http://%25/",
            "urn:a:b?",
            "a://[::%25%20]",
            "http://u%20@h",
            "//a b",
            "http:///x",
            "z://::1:80/%41",
        ],
        _ => &[
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "a987fbc9-4bed-3078-cf07-9141ba07c9f3",
            "987fbc97-4bed-5078-9f07-9141ba07c9f3",
            "67E5504410B1426F9247BB680E5FE0C8",
        ],
    }
}

/// Parts that are inserted into texts.
const PIECES: &[&str] = &[
    "0", "1", "2", "5", "9", "a", "f", "F", "g", "t", "T", "z", "Z", "-", ".", ":", "/", "@", " ", "\t", "\n", "\r",
    "%", "%2", "%25", "%41", "%C3", "?", "#", "=", "+", ",", ";", "(", ")", "<", ">", "[", "]", "\"", "\\", "_", "ß",
    "☃", "µ", "\u{3BC}", "é", "$", "^", "\u{301}", "٣", "\u{7F}", "\u{0}", "::", "..", "//", "s", "S", "ſ", "K",
    "\u{212A}", "x", "X", "h", "ns", "00", "\u{C}", "\u{B}", "\u{A0}", "=?", "?=", "\u{378}", "\u{1C89}", "®", "漢",
    "𝒳",
];

fn mutant(name: &str, random: &mut Random) -> String {
    let mut text: Vec<char> = random.choose(seeds(name)).chars().collect();
    for _ in 0..random.below(5) {
        let at = random.below(text.len() + 1);
        match random.below(6) {
            0 | 1 if at < text.len() => {
                text.remove(at);
            }
            2 if at < text.len() => {
                let end = at + random.below(text.len() - at + 1);
                let part: Vec<_> = text[at..end].to_vec();
                text.splice(at..at, part);
            }
            3 if at < text.len() => {
                text.splice(at..=at, random.choose(PIECES).chars());
            }
            4 if random.once_in(4) => {
                text.splice(at.., random.choose(seeds(name)).chars());
            }
            _ => {
                text.splice(at..at, random.choose(PIECES).chars());
            }
        }
    }
    if random.once_in(40) {
        let many = text.repeat(random.below(40));
        text = many.into_iter().take(300).collect();
    }
    text.into_iter().collect()
}

#[test]
fn texts_have_the_same_formats_as_on_the_server() {
    let mut random = Random::new(seed());
    let mut inputs = Vec::new();
    for format in STRING_FORMATS {
        let texts = (0..TEXTS_EACH).map(|_| mutant(format.name, &mut random));
        inputs.extend(texts.map(|text| (format, text)));
    }
    let queries: Vec<_> =
        (inputs.iter()).map(|(format, text)| vec!["format".into(), format.name.into(), text.clone()]).collect();
    let Some(responses) = responses(&queries) else {
        return;
    };
    let mut wrong = Vec::new();
    for format in STRING_FORMATS {
        let of_format = || inputs.iter().zip(&responses).filter(|((of, _), _)| of.name == format.name);
        let accepted = of_format().filter(|(_, response)| *response == "true").count();
        assert!(accepted > TEXTS_EACH / 50, "{}: only {accepted} texts are accepted", format.name);
        for ((_, text), response) in of_format() {
            if format.accepts(text) != (response == "true") {
                wrong.push(format!("{} {text:?}: the server has {response}", format.name));
            }
        }
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}
