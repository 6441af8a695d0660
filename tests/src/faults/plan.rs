use super::{Random, WrongBody, WrongEvent};

/// The number of first bytes of a response within which connections are cut, stalled or slowed down.
const BYTES: usize = 40_000;
/// The number of first lines of a response within which a line is faulty.
const LINES: usize = 60;

/// The fault of one response.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// No fault.
    None,
    /// The response is an error.
    ErrorStatus {
        /// The status.
        code: u16,
    },
    /// The connection is cut.
    Cut {
        /// After this number of bytes of the response.
        at: usize,
        /// With RST, so that bytes may be lost; else with FIN.
        reset: bool,
    },
    /// Nothing more is sent.
    Stall {
        /// After this number of bytes of the response.
        at: usize,
    },
    /// Nothing is sent for a while.
    Pause {
        /// After this number of bytes of the response.
        at: usize,
        /// The duration.
        milliseconds: usize,
    },
    /// Bytes are sent one by one, a millisecond apart.
    Slow {
        /// After this number of bytes of the response.
        at: usize,
        /// The number of bytes.
        bytes: usize,
    },
    /// A line of a watch, or a page, is made invalid JSON.
    BadJson {
        /// After this number of lines.
        line: usize,
    },
    /// A line of a watch, or a page, is made invalid UTF-8.
    BadUtf8 {
        /// After this number of lines.
        line: usize,
    },
    /// The response has the status 200 and a wrong body.
    WrongBody {
        /// The body.
        body: WrongBody,
    },
    /// An event that is not of an object of the kind is inserted.
    WrongEvent {
        /// After this number of lines.
        line: usize,
        /// The event.
        event: WrongEvent,
    },
    /// A line is sent twice.
    Repeat {
        /// After this number of lines.
        line: usize,
    },
    /// An older event is inserted.
    Older {
        /// After this number of lines.
        line: usize,
    },
    /// The watch ends without an error, in the middle of a line.
    HalfLine {
        /// After this number of lines.
        line: usize,
    },
    /// The watch ends without an error, before its timeout.
    EarlyEnd {
        /// After this number of lines.
        line: usize,
    },
    /// The watch ends with an `ERROR` event.
    Error {
        /// After this number of lines.
        line: usize,
        /// The code in the event.
        code: u16,
    },
}

/// How a response is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The fault.
    pub fault: Fault,
    /// The largest chunk, in bytes.
    pub chunk: usize,
    /// Whether lines of a watch that are ready at the same time share their chunks.
    pub together: bool,
    /// The seed of the fault's details, such as which byte is altered.
    pub seed: u64,
}

impl Plan {
    pub(super) fn draw(random: &mut Random, verb: &str, percent: usize) -> Self {
        let chunk = *random.pick(&[usize::MAX, usize::MAX, 4096, 700, 64, 7]);
        let together = random.percent(50);
        let seed = random.number();
        let strikes = random.percent(percent);
        let fault = match verb {
            _ if !strikes => Fault::None,
            "watch" => watch_fault(random),
            "continue" if random.percent(25) => Fault::ErrorStatus { code: 410 },
            _ => list_fault(random),
        };
        Self { fault, chunk, together, seed }
    }
}

fn watch_fault(random: &mut Random) -> Fault {
    let line = random.magnitude(LINES);
    match random.below(23) {
        0 => Fault::BadJson { line },
        1 => Fault::BadUtf8 { line },
        2 => Fault::Repeat { line },
        3 => Fault::Older { line },
        4 => Fault::HalfLine { line },
        5 => Fault::EarlyEnd { line },
        6..9 => Fault::Error { line, code: *random.pick(&[410, 410, 429, 500, 403]) },
        9..11 => Fault::ErrorStatus { code: *random.pick(&[410, 410, 429, 500, 403]) },
        20 => Fault::WrongBody { body: *random.pick(&WrongBody::ALL) },
        21..23 => Fault::WrongEvent { line, event: *random.pick(&WrongEvent::ALL) },
        _ => byte_fault(random),
    }
}

fn list_fault(random: &mut Random) -> Fault {
    match random.below(12) {
        0 => Fault::BadJson { line: 0 },
        1 => Fault::BadUtf8 { line: 0 },
        2..5 => Fault::ErrorStatus { code: *random.pick(&[429, 500, 403]) },
        10..12 => Fault::WrongBody { body: *random.pick(&WrongBody::ALL) },
        _ => byte_fault(random),
    }
}

fn byte_fault(random: &mut Random) -> Fault {
    let at = random.magnitude(BYTES);
    match random.below(9) {
        0..3 => Fault::Cut { at, reset: false },
        3..5 => Fault::Cut { at, reset: true },
        5..7 => Fault::Stall { at },
        7 => Fault::Pause { at, milliseconds: random.magnitude(300) },
        _ => Fault::Slow { at, bytes: random.magnitude(300) },
    }
}
