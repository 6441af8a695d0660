//! For any sequence of changes and reads, subscribers end with the current objects.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Op {
    /// Creates or updates an object.
    Write(u8),
    Delete(u8),
    /// The object leaves the selection, or matches it again.
    Select(u8),
    /// Pushes the changes so far as one batch.
    Push,
    Subscribe,
    Read(usize),
}

#[derive(Default)]
struct Server {
    objects: BTreeMap<String, Config>,
    hidden: BTreeMap<String, Config>,
    version: u64,
    batch: Vec<Notification>,
    log: Vec<String>,
}

impl Server {
    fn write(&mut self, name: String) {
        self.version += 1;
        let uid = match self.objects.get(&name).or(self.hidden.get(&name)) {
            Some(object) => object.uid().unwrap().to_owned(),
            None => self.version.to_string(),
        };
        let new = with_uid(&name, &uid, self.version);
        self.hidden.remove(&name);
        let event = match self.objects.insert(name, new.clone()) {
            Some(old) => Event::Updated { old, new },
            None => Event::Added(new),
        };
        self.batch.push(event.into());
    }

    fn delete(&mut self, name: &str) -> Option<Config> {
        self.hidden.remove(name);
        let object = self.objects.remove(name)?;
        self.version += 1;
        let last = with_uid(name, object.uid().unwrap(), self.version);
        self.batch.push(Notification::deleted(object.clone(), Some(last)));
        Some(object)
    }

    fn select(&mut self, name: String) {
        if self.hidden.contains_key(&name) {
            self.write(name);
        } else if let Some(object) = self.delete(&name) {
            self.hidden.insert(name, object);
        }
    }

    fn push(&mut self, fanout: &mut Fanout) {
        self.log.extend(self.batch.iter().map(|received| text(&received.event.clone().typed())));
        fanout.push(std::mem::take(&mut self.batch));
    }
}

struct Reader {
    subscription: Subscription<ConfigMap>,
    bound: usize,
    known: SubscriberState,
    received: Vec<String>,
    begun: usize,
}

impl Reader {
    fn new(server: &Server, fanout: &mut Fanout, bound: usize) -> Self {
        let snapshot: Vec<_> = server.objects.values().cloned().collect();
        let subscription = subscribe(fanout, snapshot, true);
        Self {
            subscription: subscription.merge_beyond(bound),
            bound,
            known: SubscriberState::default(),
            received: Vec::new(),
            begun: server.log.len(),
        }
    }

    fn read(&mut self, events: usize) {
        for _ in 0..events {
            let Some(Some(event)) = self.subscription.next().now_or_never() else {
                return;
            };
            self.known.apply(&event);
            if self.known.synced {
                self.received.push(text(&event));
            }
        }
    }

    /// Reads all events: at most two of each object, unless few were buffered.
    fn finish(&mut self) {
        while !self.known.synced {
            self.read(1);
        }
        let buffered = buffered(&mut self.subscription);
        let mut counts = BTreeMap::new();
        for event in &buffered {
            *counts.entry(event.object().unwrap().name()).or_insert(0) += 1;
        }
        let most = counts.into_values().max().unwrap_or(0);
        assert!(buffered.len() <= self.bound || most <= 2);
        buffered.iter().for_each(|event| self.known.apply(event));
        self.received.extend(buffered.iter().map(text));
    }
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let name = 0..4_u8;
    let op = prop_oneof![
        6 => name.clone().prop_map(Op::Write),
        2 => name.clone().prop_map(Op::Delete),
        2 => name.prop_map(Op::Select),
        4 => Just(Op::Push),
        1 => Just(Op::Subscribe),
        3 => (0..6_usize).prop_map(Op::Read),
    ];
    proptest::collection::vec(op, 0..120)
}

fn run(ops: Vec<Op>, bound: usize) -> (Server, Vec<Reader>) {
    let (mut server, mut fanout) = (Server::default(), Fanout::default());
    let mut readers = vec![Reader::new(&server, &mut fanout, bound)];
    for op in ops {
        let name = |number: u8| format!("object-{number}");
        match op {
            Op::Write(number) => server.write(name(number)),
            Op::Delete(number) => drop(server.delete(&name(number))),
            Op::Select(number) => server.select(name(number)),
            Op::Push => server.push(&mut fanout),
            Op::Subscribe => {
                server.push(&mut fanout);
                readers.push(Reader::new(&server, &mut fanout, bound));
            }
            Op::Read(events) => readers.iter_mut().for_each(|reader| reader.read(events)),
        }
    }
    server.push(&mut fanout);
    readers.iter_mut().for_each(Reader::finish);
    (server, readers)
}

proptest! {
    #[test]
    fn slow_subscribers_end_with_the_current_objects(ops in ops(), bound in 0..12_usize) {
        let (server, readers) = run(ops, bound);
        for reader in readers {
            prop_assert_eq!(&reader.known.objects, &server.objects);
        }
    }

    #[test]
    fn fast_subscribers_receive_everything(ops in ops()) {
        let (server, readers) = run(ops, usize::MAX);
        for reader in readers {
            prop_assert_eq!(&reader.received[0], "synced");
            prop_assert_eq!(&reader.received[1..], &server.log[reader.begun..]);
        }
    }
}
