//! The connections of a server: a new one always has a place.

use std::{
    cmp::Reverse,
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

use super::activity::{Connection, Use};

/// At the limit, one of this number of connections ends at once if they are not served: to find the least useful one takes time.
const BATCH: usize = 64;
/// Use, number of connections of the address, since when, identifier.
type Rank = (Use, Reverse<usize>, Instant, u64);

/// The open connections.
#[derive(Debug)]
pub(super) struct Table {
    limit: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    connections: HashMap<u64, Arc<Connection>>,
    next: u64,
}

/// The place of a connection.
#[derive(Debug)]
pub(super) struct ConnectionEntry {
    table: Arc<Table>,
    id: u64,
    connection: Arc<Connection>,
}

impl Table {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, open: Mutex::default() }
    }

    /// Adds a connection. At the limit, another one ends.
    pub(super) fn add(table: &Arc<Self>, peer: IpAddr) -> ConnectionEntry {
        let connection = Arc::new(Connection::new(peer));
        let mut open = table.open();
        if open.connections.len() >= table.limit {
            open.end_some(table.limit / BATCH);
        }
        let id = open.next;
        open.next += 1;
        open.connections.insert(id, connection.clone());
        drop(open);
        ConnectionEntry { table: table.clone(), id, connection }
    }

    /// Ends the connection whose end does least harm.
    pub(super) fn end_one(&self) {
        self.open().end_some(1);
    }

    /// Lets all connections end.
    pub(super) fn close_all(&self) {
        self.open().connections.values().for_each(|connection| connection.close());
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Ends the least useful connection, and others of the same use up to a number if they are not served.
    fn end_some(&mut self, count: usize) {
        let mut ranked = self.ranked();
        ranked.sort_unstable();
        let is_unserved = |rank: &Rank| rank.0 == Use::Unserved;
        let count = ranked.iter().take(count).take_while(|rank| is_unserved(rank)).count().max(1);
        for (.., id) in ranked.into_iter().take(count) {
            if let Some(connection) = self.connections.remove(&id) {
                connection.end();
            }
        }
    }

    /// Of the connections with the least use, those of the address with the most connections come first: an API server has another
    /// address than a Pod that attacks. Then the one which has been so for the longest time.
    fn ranked(&self) -> Vec<Rank> {
        let mut by_peer = HashMap::<IpAddr, usize>::new();
        for connection in self.connections.values() {
            *by_peer.entry(connection.peer).or_default() += 1;
        }
        let rank = |(id, connection): (&u64, &Arc<Connection>)| {
            let (current_use, since) = connection.activity().current_use();
            (current_use, Reverse(by_peer[&connection.peer]), since, *id)
        };
        self.connections.iter().map(rank).collect()
    }
}

impl ConnectionEntry {
    pub(super) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }
}

impl Drop for ConnectionEntry {
    fn drop(&mut self) {
        self.table.open().connections.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use tokio::time::advance;

    use super::*;
    use crate::serve::activity::Unwritten;

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, last).into()
    }

    async fn add(table: &Arc<Table>, peer: u8) -> ConnectionEntry {
        advance(Duration::from_secs(1)).await;
        Table::add(table, address(peer))
    }

    fn ended(entries: &[&ConnectionEntry]) -> Vec<bool> {
        entries.iter().map(|it| it.connection.is_ended()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_useful_connection_goes() {
        let table = Arc::new(Table::new(5));
        let processing = add(&table, 1).await;
        let running = processing.connection.start(false, true);
        let responding = add(&table, 1).await;
        let unread = Unwritten::new(responding.connection.start(false, true));
        let receiving = add(&table, 1).await;
        let open = receiving.connection.start(false, false);
        let idle = add(&table, 1).await;
        drop(idle.connection.start(false, true));
        let silent = add(&table, 1).await;

        let all = [&silent, &idle, &receiving, &responding, &processing];
        let mut newer = Vec::new();
        for count in 1..=all.len() {
            let entry = add(&table, 1).await;
            newer.push(entry.connection.start(false, true));
            std::mem::forget(entry);
            let expected: Vec<_> = (0..all.len()).map(|at| at < count).collect();
            assert_eq!(ended(&all), expected);
        }
        drop((running, unread, open));
    }

    #[tokio::test(start_paused = true)]
    async fn of_equal_ones_the_longest_silent_goes() {
        let table = Arc::new(Table::new(2));
        let [first, second] = [add(&table, 1).await, add(&table, 1).await];
        let third = add(&table, 1).await;
        assert_eq!(ended(&[&first, &second, &third]), [true, false, false]);
        drop(second);
        let fourth = add(&table, 1).await;
        assert_eq!(ended(&[&third, &fourth]), [false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn of_equal_ones_that_of_the_busiest_address_goes() {
        let table = Arc::new(Table::new(3));
        let honest = add(&table, 1).await;
        let [first, second] = [add(&table, 2).await, add(&table, 2).await];
        let third = add(&table, 2).await;
        assert_eq!(ended(&[&honest, &first, &second, &third]), [false, true, false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_files_end_one() {
        let table = Arc::new(Table::new(3));
        table.end_one();
        let only = add(&table, 1).await;
        table.end_one();
        assert!(only.connection.is_ended());
    }
}
