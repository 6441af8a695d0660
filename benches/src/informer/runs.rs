//! Everything that is measured in a round.

use crate::{contestants::Contestant, objects::Shape, options::Options, work::Work};

/// One contestant with one task, in a process of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) name: &'static str,
    pub(crate) contestant: Contestant,
    streams: bool,
    task: Task,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Reads all objects.
    Sync,
    /// And receives changes, with a number of subscribers.
    Watch(usize),
    /// And looks objects up and lists again.
    All,
    /// Measures how long readers block the writer.
    Blocking,
    /// Receives changes of a number of small objects.
    Volumes(usize),
    /// Looks up a number of small objects.
    Lookups(usize),
}

const STREAM: bool = true;
const PAGES: bool = false;

pub(crate) const RUNS: [Run; 25] = {
    use Contestant::{
        ClientGo, Compact, Crdkit, Decode, DecodeOnOne, Floor, Kube, KubeOneThread, KubeVolumes, Volumes,
    };
    [
        run("floor", Floor, STREAM, Task::Watch(1)),
        run("floor-pages", Floor, PAGES, Task::Sync),
        run("kube", Kube, PAGES, Task::All),
        run("crdkit", Crdkit, STREAM, Task::All),
        run("decode", Decode, STREAM, Task::All),
        run("decode-1", DecodeOnOne, STREAM, Task::Sync),
        run("client-go", ClientGo, STREAM, Task::All),
        run("compact", Compact, STREAM, Task::All),
        run("kube-one-thread", KubeOneThread, PAGES, Task::Watch(1)),
        run("crdkit-pages", Crdkit, PAGES, Task::All),
        run("kube-stream", Kube, STREAM, Task::Sync),
        run("kube-one-thread-stream", KubeOneThread, STREAM, Task::Sync),
        run("client-go-pages", ClientGo, PAGES, Task::Sync),
        run("decode-pages", Decode, PAGES, Task::Sync),
        run("decode-1-pages", DecodeOnOne, PAGES, Task::Sync),
        run("compact-pages", Compact, PAGES, Task::Sync),
        run("crdkit-1", Crdkit, STREAM, Task::Watch(1)),
        run("crdkit-8", Crdkit, STREAM, Task::Watch(8)),
        run("kube-8", Kube, PAGES, Task::Watch(8)),
        run("crdkit-readers", Crdkit, STREAM, Task::Blocking),
        run("volumes-10k", Volumes, STREAM, Task::Volumes(10_000)),
        run("volumes-100k", Volumes, STREAM, Task::Volumes(100_000)),
        run("volumes-1m", Volumes, STREAM, Task::Volumes(1_000_000)),
        run("kube-1m", KubeVolumes, PAGES, Task::Lookups(1_000_000)),
        run("crdkit-1m", Volumes, STREAM, Task::Lookups(1_000_000)),
    ]
};

const fn run(name: &'static str, contestant: Contestant, streams: bool, task: Task) -> Run {
    Run { name, contestant, streams, task }
}

/// The number of changes, one by one, that show how long readers block the writer.
const BLOCKED_CHANGES: usize = 20_000;

impl Run {
    /// The objects of the server for the run.
    pub(crate) fn server_objects(self, options: &Options) -> (Shape, usize) {
        match self.task {
            Task::Volumes(objects) | Task::Lookups(objects) => (Shape::Volumes, objects),
            _ => (Shape::VirtualMachines, options.objects),
        }
    }

    pub(crate) fn work(self, options: &Options, port: u16) -> Work {
        let (_, objects) = self.server_objects(options);
        let (subscribers, events) = match self.task {
            Task::Sync | Task::Lookups(_) => (1, 0),
            Task::Watch(subscribers) => (subscribers, options.events),
            Task::All | Task::Volumes(_) => (1, options.events),
            Task::Blocking => (0, BLOCKED_CHANGES.min(options.events)),
        };
        Work {
            port,
            objects,
            streams: self.streams,
            decode_threads: match self.contestant {
                Contestant::DecodeOnOne => 1,
                // As an informer has by default.
                _ => 2,
            },
            subscribers,
            events,
            lookups: matches!(self.task, Task::All | Task::Lookups(_)),
            relists: self.task == Task::All && events > 0,
            reads: self.task == Task::All && self.contestant == Contestant::Compact,
            blocking: self.task == Task::Blocking,
        }
    }
}
