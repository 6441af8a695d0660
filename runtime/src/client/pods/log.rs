use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream, stream::BoxStream};
use k8s_openapi::{api::core::v1::Pod, jiff::Timestamp};
use tokio::time::timeout;

use crate::client::{
    body::{self, Interrupted, ResponseBody},
    endpoint::Endpoint,
    error::Error,
    limits::Limit,
    request::{Query, Request, Verb},
    resources::Resources,
    scope::SingleObject,
    watch::lines::Lines,
};

const LOG: Option<&str> = Some("log");

impl<P> Resources<Pod, P> {
    /// Reads the log of a container of a Pod.
    ///
    /// ```no_run
    /// use futures_util::TryStreamExt;
    /// # use k8s_openapi::api::core::v1::Pod;
    ///
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let pods = client.resources::<Pod>().namespace("default");
    /// let last = pods.log("web-0").tail(20).text().await?;
    ///
    /// let mut lines = pods.log("web-0").container("web").follow().lines().await?;
    /// while let Some(line) = lines.try_next().await? {
    ///     println!("{line}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It requires the permission to `get` `pods/log`: `Access::to::<Pod>([Verb::Get]).subresource("log")`.
    ///
    /// Other kinds have no log:
    ///
    /// ```compile_fail,E0599
    /// # use k8s_openapi::api::core::v1::Node;
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<Node>().log("worker");
    /// # }
    /// ```
    pub fn log<'a>(&self, name: &'a str) -> LogRequest<'a>
    where
        P: SingleObject<Pod>,
    {
        LogRequest { endpoint: self.endpoint.clone(), name, query: Query::default(), follows: false }
    }
}

/// A request for the log of a container, which [`text`](Self::text) or [`lines`](Self::lines) sends.
#[derive(Clone)]
#[must_use = "nothing is read until `text` or `lines` is awaited"]
pub struct LogRequest<'a> {
    endpoint: Endpoint<Pod>,
    name: &'a str,
    query: Query,
    follows: bool,
}

impl LogRequest<'_> {
    /// Selects a container. It is required if the Pod has several.
    pub fn container(self, name: &str) -> Self {
        self.with("container", name.to_owned())
    }

    /// Continues with the lines that the container writes, until it ends or the stream is dropped.
    pub fn follow(self) -> Self {
        Self { follows: true, ..self.with("follow", "true".to_owned()) }
    }

    /// Reads the log of the container before its last restart.
    pub fn previous(self) -> Self {
        self.with("previous", "true".to_owned())
    }

    /// Reads only what is not older than this, at least a second. Fractions of a second are dropped.
    pub fn since(self, age: Duration) -> Self {
        let seconds = age.as_secs().max(1);
        Self { query: self.query.without("sinceTime").with("sinceSeconds", seconds.to_string()), ..self }
    }

    /// Reads only what was written since a time. Fractions of a second are dropped.
    pub fn since_time(self, time: Timestamp) -> Self {
        let time = Timestamp::from_second(time.as_second()).unwrap_or(time);
        Self { query: self.query.without("sinceSeconds").with("sinceTime", time.to_string()), ..self }
    }

    /// Reads only this number of lines before the end of the log.
    pub fn tail(self, lines: u64) -> Self {
        self.with("tailLines", lines.min(i64::MAX as u64).to_string())
    }

    /// Ends after about this number of bytes, which may be within a line.
    pub fn limit_bytes(self, bytes: u64) -> Self {
        self.with("limitBytes", bytes.clamp(1, i64::MAX as u64).to_string())
    }

    /// Begins each line with the time at which it was written, in RFC 3339.
    pub fn timestamps(self) -> Self {
        self.with("timestamps", "true".to_owned())
    }

    /// Reads the whole log. What is not UTF-8 is replaced by U+FFFD.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if it is larger than an [object](crate::client::Limits::object) may be, [`Error::NotFound`] if no Pod has this
    /// name, [`Error::Api`] with the code 400 if the container does not run or does not exist, and the errors common to all requests.
    pub async fn text(self) -> Result<String, Error> {
        let response = self.endpoint.fetch(&self.request()).await?;
        Ok(String::from_utf8_lossy(&response.body).into_owned())
    }

    /// Reads the log line by line.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text); a line may be as large as an object may be.
    pub async fn lines(self) -> Result<LogLines, Error> {
        let mut this = self;
        if this.follows {
            // The response begins with the first line, whenever that is written.
            this.endpoint.target.client.options.timeout = Duration::MAX;
        }
        let body = this.endpoint.open(&this.request()).await?;
        let lines = lines_of(body, this.endpoint, this.name.to_owned(), this.follows);
        Ok(LogLines { lines: lines.boxed() })
    }

    fn with(self, key: &'static str, value: String) -> Self {
        Self { query: self.query.with(key, value), ..self }
    }

    fn request(&self) -> Request<'_> {
        Request::object(Verb::Get, self.name).subresource(LOG).query(self.query.clone())
    }
}

impl fmt::Debug for LogRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogRequest").field("name", &self.name).field("query", &self.query).finish_non_exhaustive()
    }
}

/// The lines of a log, without their line ends. What is not UTF-8 is replaced by U+FFFD.
///
/// It ends after an error.
pub struct LogLines {
    lines: BoxStream<'static, Result<String, Error>>,
}

impl Stream for LogLines {
    type Item = Result<String, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.lines.as_mut().poll_next(context)
    }
}

impl fmt::Debug for LogLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogLines").finish_non_exhaustive()
    }
}

/// Reads lines; the last one may have no line end.
fn lines_of(
    body: ResponseBody,
    endpoint: Endpoint<Pod>,
    name: String,
    follows: bool,
) -> impl Stream<Item = Result<String, Error>> + Send {
    let lines = Some(Lines::new(endpoint.limit(Limit::Object)));
    stream::try_unfold((body, lines), move |(mut body, lines)| {
        let (endpoint, name) = (endpoint.clone(), name.clone());
        async move {
            let request = Request::object(Verb::Get, &name).subresource(LOG);
            let Some(mut lines) = lines else { return Ok(None) };
            loop {
                let line = lines.next().map_err(|_| endpoint.too_large(&request, Limit::Object))?;
                if let Some(line) = line {
                    return Ok(Some((text_of(&line), (body, Some(lines)))));
                }
                match next_chunk(&endpoint, &request, &mut body, follows).await? {
                    Some(chunk) => lines.push(chunk),
                    None => {
                        let rest = lines.into_rest();
                        return Ok((!rest.is_empty()).then(|| (text_of(&rest), (body, None))));
                    }
                }
            }
        }
    })
}

/// Returns the next part of a log. Only one that is followed may pause.
async fn next_chunk(
    endpoint: &Endpoint<Pod>,
    request: &Request<'_>,
    body: &mut ResponseBody,
    follows: bool,
) -> Result<Option<Bytes>, Error> {
    let options = &endpoint.client.options;
    let limit = if follows { Duration::MAX } else { options.stall_timeout };
    let chunk = match timeout(limit, body::next(body)).await {
        Ok(chunk) => chunk.map_err(Interrupted::Broken),
        Err(_) => Err(Interrupted::Stalled),
    };
    chunk.map_err(|interrupted| interrupted.into_error(endpoint.operation(request), options))
}

fn text_of(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;

    use super::*;
    use crate::client::{
        Limits,
        mock::{Mock, Reply},
        scope::InNamespace,
    };

    fn pods(mock: &Mock) -> Resources<Pod, InNamespace> {
        mock.client().resources::<Pod>().namespace("prod")
    }

    #[tokio::test]
    async fn options_are_in_the_query() {
        let mock = Mock::new((0..3).map(|_| Reply::text(200, "a\n")));
        let pods = pods(&mock);
        assert_eq!(pods.log("web").text().await.unwrap(), "a\n");
        let request = pods.log("web").container("app").previous().since(Duration::from_millis(2500)).tail(3);
        request.clone().limit_bytes(9).timestamps().text().await.unwrap();
        let time: Timestamp = "2030-01-31T12:00:00.5Z".parse().unwrap();
        request.since_time(time).follow().lines().await.unwrap();
        let path = "GET /api/v1/namespaces/prod/pods/web/log";
        let expected = [
            path.to_owned(),
            format!("{path}?container=app&previous=true&sinceSeconds=2&tailLines=3&limitBytes=9&timestamps=true"),
            format!("{path}?container=app&previous=true&tailLines=3&sinceTime=2030-01-31T12%3A00%3A00Z&follow=true"),
        ];
        assert_eq!(mock.lines(), expected);
    }

    #[tokio::test]
    async fn lines_are_read_to_the_last_one() {
        for (text, expected) in
            [("one\n\ntwo\n", &["one", "", "two"][..]), ("one\ntwo", &["one", "two"]), ("", &[]), ("\n", &[""])]
        {
            let mock = Mock::new([Reply::text(200, text)]);
            let lines = pods(&mock).log("web").lines().await.unwrap();
            assert_eq!(lines.try_collect::<Vec<_>>().await.unwrap(), expected, "{text:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_log_that_is_followed_may_pause() {
        let mock = Mock::new([Reply::text(200, "one\n").stalled()]);
        let mut lines = pods(&mock).log("web").lines().await.unwrap();
        assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("one"));
        let error = lines.try_next().await.unwrap_err();
        let start = "cannot get the log of Pod `web` in namespace `prod`: ";
        assert!(error.to_string().starts_with(start) && matches!(error, Error::DeadlineExceeded { .. }), "{error}");
        assert!(lines.try_next().await.unwrap().is_none());

        let hour = Duration::from_secs(3600);
        let mock = Mock::new([Reply::text(200, "one\n").slow(hour).stalled()]);
        let mut lines = pods(&mock).log("web").follow().lines().await.unwrap();
        assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("one"));
        assert!(timeout(hour, lines.try_next()).await.is_err());
    }

    #[tokio::test]
    async fn lines_have_a_limit() {
        let mock = Mock::new([Reply::text(200, "one\ntoo long\n"), Reply::text(200, "one\ntoo long\n")]);
        let pods = pods(&mock).limits(Limits::default().object(7));
        let mut lines = pods.log("web").lines().await.unwrap();
        assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("one"));
        assert!(matches!(lines.try_next().await, Err(Error::TooLarge { limit: Limit::Object, .. })));
        assert!(matches!(pods.log("web").text().await, Err(Error::TooLarge { limit: Limit::Object, .. })));
    }
}
