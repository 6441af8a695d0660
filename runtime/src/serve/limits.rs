//! What a server allows its clients.

use std::{fs, time::Duration};

/// How long a client may take from the connection to the end of its first header, with the handshake of TLS.
pub(crate) const FIRST_REQUEST: Duration = Duration::from_secs(10);
/// How long a client may take to send the header of a later request.
pub(crate) const HEADER: Duration = Duration::from_secs(10);
/// How long a connection may be idle. API servers close idle connections after 90 s: if this server closed them first, a request that
/// is just being sent would fail.
pub(crate) const IDLE: Duration = Duration::from_secs(120);
/// How long a client may take to read a response. API servers wait for it, and read it at once.
pub(crate) const WRITE: Duration = Duration::from_secs(15);
/// The time in which a body may be slower than [`BODY_RATE`].
pub(crate) const BODY_GRACE: Duration = Duration::from_secs(5);
/// The lowest rate of a body in bytes a second, from its beginning and after the grace.
pub(crate) const BODY_RATE: u32 = 64 << 10;
/// How long what is unfinished may continue after the stop: a handshake, a header, a body, and a response that is not read.
pub(crate) const UNFINISHED: Duration = Duration::from_secs(1);
/// The soft limit of open files where the system does not state one; that of macOS.
const OPEN_FILES: usize = 256;

/// The limits of a server that differ between servers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of connections if the process may open enough files.
    pub connections: usize,
    /// The part of the files that the process may open: one of this number.
    pub share_of_files: usize,
    /// The maximum size of a header. A connection by HTTP/1 has a buffer of this size.
    pub header_bytes: usize,
    /// The maximum number of requests at the same time in a connection by HTTP/2. `None`: only HTTP/1 is served.
    pub streams: Option<u32>,
    /// Whether a connection by HTTP/1 can become one of another protocol.
    pub upgrades: bool,
}

impl Limits {
    /// Returns the maximum number of connections.
    pub(super) fn connections(&self) -> usize {
        self.connections.min(open_files() / self.share_of_files).max(1)
    }
}

/// Returns how many files the process may open.
fn open_files() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    soft_limit(&limits).unwrap_or(OPEN_FILES)
}

/// Reads the soft limit of `Max open files` from Linux' table of limits.
fn soft_limit(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let soft = line.split_whitespace().next()?;
    if soft == "unlimited" { Some(usize::MAX) } else { soft.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_files_is_that_of_the_process() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
            Max cpu time              unlimited            unlimited            seconds   \n\
            Max open files            1024                 1048576              files     \n";
        assert_eq!(soft_limit(limits), Some(1024));
        assert_eq!(soft_limit("Max open files  unlimited unlimited files"), Some(usize::MAX));
        assert_eq!(soft_limit(""), None);
    }

    #[test]
    fn connections_leave_files_to_others() {
        let limits =
            Limits { connections: usize::MAX, share_of_files: 2, header_bytes: 0, streams: None, upgrades: false };
        assert_eq!(limits.connections(), open_files() / 2);
        assert_eq!(Limits { connections: 3, ..limits }.connections(), 3);
        assert_eq!(Limits { share_of_files: usize::MAX, ..limits }.connections(), 1);
    }
}
