//! What a connection does, and when it ends.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::Notify, time::Instant};

use super::limits::{FIRST_REQUEST, HEADER, IDLE, UNFINISHED, WRITE};

/// How much an end of a connection would harm, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// No request is complete yet.
    Unserved,
    /// No request is open. Clients repeat a request for which an idle connection ended.
    Idle,
    Receiving,
    Responding,
    Processing,
}

/// What a connection does.
#[derive(Debug)]
pub(super) struct Activity {
    /// When the connection was accepted, or its last request ended.
    since: Instant,
    is_served: bool,
    /// HTTP/2 sends more than requests: its frames do not begin a header.
    is_multiplexed: bool,
    /// When a header began, by HTTP/1.
    header_since: Option<Instant>,
    /// Since when the socket takes no bytes.
    unwritable_since: Option<Instant>,
    /// Since when the connection takes no more requests.
    closing_since: Option<Instant>,
    is_ended: bool,
    exchanges: Vec<Exchanged>,
    next: u64,
}

/// A request and its response.
#[derive(Debug)]
struct Exchanged {
    id: u64,
    since: Instant,
    is_received: bool,
    /// How many parts of the response are not written, and since when there are any.
    unwritten: usize,
    unwritten_since: Instant,
}

/// What happens at a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    /// The connection takes no more requests.
    Close,
    /// The connection ends.
    End,
}

impl Activity {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            since: now,
            is_served: false,
            is_multiplexed: false,
            header_since: None,
            unwritable_since: None,
            closing_since: None,
            is_ended: false,
            exchanges: Vec::new(),
            next: 0,
        }
    }

    /// How the connection is used, and since when.
    pub(super) fn current_use(&self) -> (Use, Instant) {
        let most = self.exchanges.iter().map(|it| (it.current_use(), it.since)).max_by_key(|(it, _)| *it);
        let unused = if self.is_served { Use::Idle } else { Use::Unserved };
        most.unwrap_or((unused, self.since))
    }

    /// Returns when the connection ends if nothing changes; `None` while a request is processed.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let unwritable = self.unwritable_since.map(|since| since + WRITE);
        let responses = self.exchanges.iter().filter(|it| it.unwritten > 0).map(|it| it.unwritten_since + WRITE);
        let unused = self.exchanges.is_empty().then(|| self.unused_deadline());
        let deadline = responses.chain(unwritable).chain(unused).min();
        let Some(closing) = self.closing_since else {
            return deadline;
        };
        let is_processing = self.exchanges.iter().any(|it| it.current_use() == Use::Processing);
        if is_processing {
            return deadline;
        }
        // A response that was complete after the connection began to close has its time, too.
        let last = self.exchanges.iter().filter(|it| it.unwritten > 0).map(|it| it.unwritten_since).max();
        let unfinished = last.map_or(closing, |last| last.max(closing)) + UNFINISHED;
        Some(deadline.map_or(unfinished, |deadline| deadline.min(unfinished)))
    }

    fn unused_deadline(&self) -> Instant {
        if !self.is_served {
            return self.since + FIRST_REQUEST;
        }
        self.header_since.map_or(self.since + IDLE, |since| since + HEADER)
    }

    /// Returns what happens after the deadline has passed.
    pub(super) fn expire(&mut self, now: Instant) -> Expiry {
        let is_idle = self.exchanges.is_empty() && self.is_served && self.header_since.is_none();
        if !is_idle || self.closing_since.is_some() || self.unwritable_since.is_some() {
            return Expiry::End;
        }
        self.closing_since = Some(now);
        Expiry::Close
    }

    fn read(&mut self, now: Instant) {
        if self.exchanges.is_empty() && !self.is_multiplexed {
            self.header_since.get_or_insert(now);
        }
    }

    fn start(&mut self, now: Instant, is_multiplexed: bool, is_received: bool) -> u64 {
        let id = self.next;
        self.next += 1;
        self.header_since = None;
        self.is_served = true;
        self.is_multiplexed = is_multiplexed;
        self.exchanges.push(Exchanged { id, since: now, is_received, unwritten: 0, unwritten_since: now });
        id
    }

    fn exchange(&mut self, id: u64) -> Option<&mut Exchanged> {
        self.exchanges.iter_mut().find(|it| it.id == id)
    }

    fn finish(&mut self, id: u64, now: Instant) {
        self.exchanges.retain(|it| it.id != id);
        self.since = now;
    }
}

impl Exchanged {
    fn current_use(&self) -> Use {
        if self.unwritten > 0 {
            return Use::Responding;
        }
        if self.is_received { Use::Processing } else { Use::Receiving }
    }
}

/// A connection, which its server, its task and its requests share.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) peer: IpAddr,
    activity: Mutex<Activity>,
    /// Wakes the task.
    pub(super) changed: Notify,
}

impl Connection {
    pub(super) fn new(peer: IpAddr) -> Self {
        Self { peer, activity: Mutex::new(Activity::new(Instant::now())), changed: Notify::new() }
    }

    pub(super) fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection now.
    pub(super) fn end(&self) {
        self.activity().is_ended = true;
        self.changed.notify_one();
    }

    pub(super) fn is_ended(&self) -> bool {
        self.activity().is_ended
    }

    /// Takes no more requests.
    pub(super) fn close(&self) {
        self.activity().closing_since.get_or_insert_with(Instant::now);
        self.changed.notify_one();
    }

    pub(super) fn is_closing(&self) -> bool {
        self.activity().closing_since.is_some()
    }

    pub(super) fn has_read(&self) {
        self.activity().read(Instant::now());
    }

    pub(super) fn set_writable(&self, is_writable: bool) {
        self.activity().unwritable_since = (!is_writable).then(Instant::now);
    }

    /// Starts a request.
    pub(super) fn start(self: &Arc<Self>, is_multiplexed: bool, is_received: bool) -> Arc<Exchange> {
        let id = self.activity().start(Instant::now(), is_multiplexed, is_received);
        Arc::new(Exchange { connection: self.clone(), id })
    }
}

/// A request whose response is not written yet. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Exchange {
    connection: Arc<Connection>,
    id: u64,
}

impl Exchange {
    /// The request is complete.
    pub(super) fn is_received(&self) {
        if let Some(exchange) = self.connection.activity().exchange(self.id) {
            exchange.is_received = true;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.connection.activity().finish(self.id, Instant::now());
        // The task may have no deadline until now.
        self.connection.changed.notify_one();
    }
}

/// A part of a response that is not written yet.
#[derive(Debug)]
pub(super) struct Unwritten(Arc<Exchange>);

impl Unwritten {
    pub(super) fn new(exchange: Arc<Exchange>) -> Self {
        if let Some(exchange) = exchange.connection.activity().exchange(exchange.id) {
            if exchange.unwritten == 0 {
                exchange.unwritten_since = Instant::now();
            }
            exchange.unwritten += 1;
        }
        exchange.connection.changed.notify_one();
        Self(exchange)
    }
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        if let Some(exchange) = self.0.connection.activity().exchange(self.0.id) {
            exchange.unwritten -= 1;
        }
    }
}

/// What a request has of its connection, as an extension.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionHandle(pub(super) Arc<Connection>);

impl ConnectionHandle {
    /// Ends the connection with all its requests.
    pub(crate) fn end(&self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use super::*;

    fn second(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_connection_has_time_for_its_first_request() {
        let start = Instant::now();
        let mut activity = Activity::new(start);
        assert_eq!(activity.deadline(), Some(start + FIRST_REQUEST));
        // Single bytes do not prolong it.
        activity.read(start + second(9));
        assert_eq!(activity.deadline(), Some(start + FIRST_REQUEST));
        assert_eq!(activity.expire(start + FIRST_REQUEST), Expiry::End);
        assert_eq!(activity.current_use(), (Use::Unserved, start));
    }

    #[test]
    fn an_idle_connection_is_closed() {
        let start = Instant::now();
        for is_multiplexed in [false, true] {
            let mut activity = Activity::new(start);
            let id = activity.start(start + second(1), is_multiplexed, true);
            assert_eq!(activity.deadline(), None);
            activity.finish(id, start + second(2));
            assert_eq!(activity.deadline(), Some(start + second(2) + IDLE));
            assert_eq!(activity.current_use(), (Use::Idle, start + second(2)));
            assert_eq!(activity.expire(start + second(2) + IDLE), Expiry::Close);
            assert_eq!(activity.deadline(), Some(start + second(2) + IDLE));
            assert_eq!(activity.expire(start + second(3) + IDLE), Expiry::End);
        }
    }

    #[test]
    fn a_later_header_has_a_deadline_and_a_ping_is_none() {
        let start = Instant::now();
        let mut activity = Activity::new(start);
        let id = activity.start(start, false, true);
        activity.finish(id, start);
        activity.read(start + second(60));
        activity.read(start + second(65));
        assert_eq!(activity.deadline(), Some(start + second(60) + HEADER));
        assert_eq!(activity.expire(start + second(70)), Expiry::End);

        let mut activity = Activity::new(start);
        let id = activity.start(start, true, true);
        activity.finish(id, start);
        activity.read(start + second(60));
        assert_eq!(activity.deadline(), Some(start + IDLE));
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_is_not_read_ends_the_connection() {
        let connection = Arc::new(Connection::new(Ipv4Addr::LOCALHOST.into()));
        let exchange = connection.start(true, false);
        assert_eq!(connection.activity().current_use().0, Use::Receiving);
        exchange.is_received();
        assert_eq!(connection.activity().current_use().0, Use::Processing);
        let first = Unwritten::new(exchange.clone());
        let deadline = Instant::now() + WRITE;
        tokio::time::advance(second(1)).await;
        let second_part = Unwritten::new(exchange.clone());
        assert_eq!(connection.activity().deadline(), Some(deadline));
        assert_eq!(connection.activity().current_use().0, Use::Responding);
        // Another response in the same connection does not prolong it.
        let other = connection.start(true, true);
        assert_eq!(connection.activity().deadline(), Some(deadline));
        drop((first, second_part));
        assert_eq!(connection.activity().deadline(), None);
        drop((exchange, other));
        assert_eq!(connection.activity().deadline(), Some(Instant::now() + IDLE));
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_stop_only_requests_in_process_have_time() {
        let start = Instant::now();
        let unfinished = start + UNFINISHED;
        let connection = || Arc::new(Connection::new(Ipv4Addr::LOCALHOST.into()));
        let silent = connection();
        silent.close();
        assert_eq!(silent.activity().deadline(), Some(unfinished));
        let receiving = connection();
        let exchange = receiving.start(false, false);
        receiving.close();
        assert_eq!(receiving.activity().deadline(), Some(unfinished));
        exchange.is_received();
        assert_eq!(receiving.activity().deadline(), None);
        tokio::time::advance(second(20)).await;
        let unread = Unwritten::new(exchange.clone());
        assert_eq!(receiving.activity().deadline(), Some(start + second(20) + UNFINISHED));
        drop((exchange, unread));
    }
}
