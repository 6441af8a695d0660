use super::{Random, WrongBody, WrongEvent};

/// Answers are cut, stalled and slowed down somewhere in so many first bytes.
const BYTES: usize = 40_000;
/// Lines go wrong somewhere among so many first ones.
const LINES: usize = 60;

/// What happens to one answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Refused with a status.
    Refuse {
        /// The status.
        code: u16,
    },
    /// The connection ends without notice.
    Cut {
        /// After so many bytes of the answer.
        at: usize,
        /// With RST, and bytes on their way may be lost; else with FIN.
        reset: bool,
    },
    /// Nothing is sent any more.
    Stall {
        /// After so many bytes of the answer.
        at: usize,
    },
    /// Nothing is sent for a while.
    Pause {
        /// After so many bytes of the answer.
        at: usize,
        /// For so long.
        milliseconds: usize,
    },
    /// Bytes are sent one by one, a millisecond apart.
    Slow {
        /// After so many bytes of the answer.
        at: usize,
        /// So many.
        bytes: usize,
    },
    /// A line of a watch, or a page, is altered into something that is no JSON.
    BadJson {
        /// After so many lines.
        line: usize,
    },
    /// A line of a watch, or a page, is altered into something that is no UTF-8.
    BadUtf8 {
        /// After so many lines.
        line: usize,
    },
    /// The answer is 200, and not what was requested.
    WrongBody {
        /// What it is instead.
        body: WrongBody,
    },
    /// An event that is not about an object of the kind comes in between.
    WrongEvent {
        /// After so many lines.
        line: usize,
        /// What comes.
        event: WrongEvent,
    },
    /// A line comes twice.
    Repeat {
        /// After so many lines.
        line: usize,
    },
    /// An older event comes in between.
    Older {
        /// After so many lines.
        line: usize,
    },
    /// The watch ends properly, in the middle of a line.
    HalfLine {
        /// After so many lines.
        line: usize,
    },
    /// The watch ends properly, too early.
    EarlyEnd {
        /// After so many lines.
        line: usize,
    },
    /// The watch ends with an `ERROR` event.
    Error {
        /// After so many lines.
        line: usize,
        /// The code in the event.
        code: u16,
    },
}

/// How an answer is sent, and what goes wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What goes wrong.
    pub fault: Fault,
    /// The largest chunk, in bytes.
    pub chunk: usize,
    /// Whether lines of a watch that are ready at the same time share their chunks.
    pub together: bool,
    /// What else is left to chance, such as which byte is altered.
    pub dice: u64,
}

impl Plan {
    pub(super) fn draw(random: &mut Random, verb: &str, percent: usize) -> Self {
        let chunk = *random.pick(&[usize::MAX, usize::MAX, 4096, 700, 64, 7]);
        let together = random.percent(50);
        let dice = random.number();
        let strikes = random.percent(percent);
        let fault = match verb {
            _ if !strikes => Fault::None,
            "watch" => watch_fault(random),
            "continue" if random.percent(25) => Fault::Refuse { code: 410 },
            _ => list_fault(random),
        };
        Self { fault, chunk, together, dice }
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
        9..11 => Fault::Refuse { code: *random.pick(&[410, 410, 429, 500, 403]) },
        20 => Fault::WrongBody { body: *random.pick(&WrongBody::ALL) },
        21..23 => Fault::WrongEvent { line, event: *random.pick(&WrongEvent::ALL) },
        _ => byte_fault(random),
    }
}

fn list_fault(random: &mut Random) -> Fault {
    match random.below(12) {
        0 => Fault::BadJson { line: 0 },
        1 => Fault::BadUtf8 { line: 0 },
        2..5 => Fault::Refuse { code: *random.pick(&[429, 500, 403]) },
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
