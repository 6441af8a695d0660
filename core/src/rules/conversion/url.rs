//! The URL of a webhook.

use super::{K4, invalid};
use crate::{
    literal::url::{self, UrlError},
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

/// [`K4`].
pub fn check_url<'a>(text: &'a str, report: &mut dyn FnMut(Violation<'a>)) {
    let mut broken = |message: Text<'a>, server_error: ServerError<'a>| {
        report(Violation::new(&K4, message).with_server_error(server_error));
    };
    let url = match url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            let message = Text::new("`{}` is not a URL: write `https://host/path`", &[Arg::Text(text)]);
            let mut server_error = ServerError::new(ErrorType::Required, "", "");
            server_error.detail = error_text(text, error);
            return broken(message, server_error);
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

/// Returns the server's text about an invalid URL.
fn error_text<'a>(text: &'a str, error: UrlError<'a>) -> Text<'a> {
    let (reason, part, rest) = error.parts();
    let part = part.map_or(Arg::Text(""), Arg::Quoted);
    Text::new(
        "url must be a valid URL: parse {}: {}{}{}; desired format: https://host[/path]",
        &[Arg::Quoted(text), Arg::Text(reason), part, Arg::Text(rest)],
    )
}
