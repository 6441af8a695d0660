//! The URL of a webhook.

use super::{K4, invalid};
use crate::{
    literal::url::{self, Mistake},
    violation::{Answer, AnswerKind, Arg, Text, Violation},
};

/// The URL has the scheme `https`, a host and perhaps a path, and nothing else.
pub fn k4<'a>(text: &'a str, report: &mut dyn FnMut(Violation<'a>)) {
    let mut broken = |message: Text<'a>, answer: Answer<'a>| {
        report(Violation::new(&K4, message).answered(answer));
    };
    let url = match url::parse(text) {
        Ok(url) => url,
        Err(mistake) => {
            let message = Text::new("`{}` is not a URL: write `https://host/path`", &[Arg::Text(text)]);
            let mut answer = Answer::new(AnswerKind::Required, "", "");
            answer.detail = unread(text, mistake);
            return broken(message, answer);
        }
    };
    if !url.scheme.eq_ignore_ascii_case("https") {
        let message = Text::new(
            "the URL `{}` of the webhook needs the scheme `https`: write `https://host/path`",
            &[Arg::Text(text)],
        );
        let detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
        broken(message, invalid(detail, url.scheme));
    }
    if url.host.is_empty() {
        let message =
            Text::new("the URL `{}` of the webhook has no host: write `https://host/path`", &[Arg::Text(text)]);
        let detail = "host must be specified; desired format: https://host[/path]";
        broken(message, invalid(detail, ""));
    }
    let parts = [
        ("user", url.user, "user information is not permitted in the URL"),
        ("fragment", Some(url.fragment), "fragments are not permitted in the URL"),
        ("query", Some(url.query), "query parameters are not permitted in the URL"),
    ];
    for (name, part, detail) in parts {
        let Some(part) = part.filter(|part| name == "user" || !part.is_empty()) else {
            continue;
        };
        let message = Text::new("the URL `{}` of the webhook cannot have a {}", &[Arg::Text(text), Arg::Text(name)]);
        broken(message, invalid(detail, part));
    }
}

/// What the server writes of a URL that cannot be read.
fn unread<'a>(text: &'a str, mistake: Mistake<'a>) -> Text<'a> {
    macro_rules! text {
        ($reason:literal $(, $part:expr)?) => {
            Text::new(
                concat!("url must be a valid URL: parse {}: ", $reason, "; desired format: https://host[/path]"),
                &[Arg::Quoted(text) $(, Arg::Quoted($part))?],
            )
        };
    }
    match mistake {
        Mistake::ControlCharacter => text!("net/url: invalid control character in URL"),
        Mistake::Empty => text!("empty url"),
        Mistake::NoScheme => text!("missing protocol scheme"),
        Mistake::Relative => text!("invalid URI for request"),
        Mistake::ColonInFirstSegment => text!("first path segment in URL cannot contain colon"),
        Mistake::Escape(part) => text!("invalid URL escape {}", part),
        Mistake::HostCharacter(part) => text!("invalid character {} in host name", part),
        Mistake::Port(part) => text!("invalid port {} after host", part),
        Mistake::Bracket => text!("invalid IP-literal"),
        Mistake::OpenBracket => text!("missing ']' in host"),
        Mistake::Address => text!("invalid host"),
        Mistake::User => text!("net/url: invalid userinfo"),
    }
}
