//! Lines of a watch, and what goes wrong with them.

use super::{
    answer::Answering,
    refusal::Refusal,
    watch::{Watch, event, line},
    wrong,
};
use crate::faults::{Broken, Fault, Kind, Random, Stream, WrongEvent};

/// Sends a line, which is one event. Says whether the watch goes on.
pub(crate) async fn send<S: Stream>(watch: &Watch<'_>, text: &str, to: &mut Answering<'_, S>) -> Result<bool, Broken> {
    if due(to) {
        return strike(watch, text, to).await;
    }
    to.line(text.as_bytes()).await?;
    Ok(true)
}

/// Whether the fault strikes at this line.
fn due<S: Stream>(to: &Answering<'_, S>) -> bool {
    let (Fault::BadJson { line }
    | Fault::BadUtf8 { line }
    | Fault::Repeat { line }
    | Fault::Older { line }
    | Fault::WrongEvent { line, .. }
    | Fault::HalfLine { line }
    | Fault::EarlyEnd { line }
    | Fault::Error { line, .. }) = to.wire.plan().fault
    else {
        return false;
    };
    to.lines >= line && to.wire.rages()
}

async fn strike<S: Stream>(watch: &Watch<'_>, text: &str, to: &mut Answering<'_, S>) -> Result<bool, Broken> {
    let mut random = Random::new(to.wire.plan().dice);
    match to.wire.plan().fault.clone() {
        Fault::Repeat { .. } => {
            to.wire.strike(Kind::Repeat);
            to.line(text.as_bytes()).await?;
            to.line(text.as_bytes()).await?;
            Ok(true)
        }
        Fault::Older { .. } => {
            to.line(text.as_bytes()).await?;
            if let Some(older) = older(watch, &mut random) {
                to.wire.strike(Kind::Older);
                to.line(older.as_bytes()).await?;
            }
            Ok(true)
        }
        // A client that ignores it misses nothing: what is due comes, too.
        Fault::WrongEvent { event, .. } => {
            to.wire.strike(Kind::WrongEvent(event));
            let line = wrong_line(event, watch, &mut random);
            to.line(line.as_bytes()).await?;
            to.line(text.as_bytes()).await?;
            Ok(true)
        }
        Fault::Error { code, .. } => {
            to.wire.strike(Kind::Event(code));
            let status = Refusal::of(code).status().to_string();
            to.line(event("ERROR", &status).as_bytes()).await?;
            Ok(false)
        }
        Fault::HalfLine { .. } => {
            to.wire.strike(Kind::HalfLine);
            let half = random.below(text.len() - 1) + 1;
            to.line(&text.as_bytes()[..half]).await?;
            Ok(false)
        }
        Fault::EarlyEnd { .. } => {
            to.wire.strike(Kind::EarlyEnd);
            Ok(false)
        }
        // Nothing after an altered line may be believed, and a true server would go on: so does this one.
        fault => {
            let (kind, altered) = alter(&fault, text, &mut random);
            to.wire.strike(kind);
            to.line(&altered).await?;
            Ok(true)
        }
    }
}

/// An event that this watch, or the one that it continues, may have told already, and not as its last.
fn older(watch: &Watch<'_>, random: &mut Random) -> Option<String> {
    let log = watch.server.storage.log();
    let (namespace, selector) = (&watch.request.namespace, &watch.request.selector);
    let told: Vec<_> = log
        .iter()
        .take_while(|change| change.version < watch.position)
        .filter_map(|change| change.told(namespace.as_deref(), selector))
        .collect();
    let back = random.magnitude(told.len().max(1)) + 1;
    told.get(told.len().checked_sub(back)?).map(line)
}

/// A line about an object that the client may have, if there is one.
fn wrong_line(wrong: WrongEvent, watch: &Watch<'_>, random: &mut Random) -> String {
    let (version, objects) = watch.server.storage.newest();
    let seen: Vec<_> = objects.values().filter(|object| watch.request.sees(object)).collect();
    let known = match seen.is_empty() {
        true => "{\"metadata\":{\"name\":\"absent\",\"namespace\":\"absent\"}}",
        false => random.pick(&seen).json(),
    };
    let reached = if watch.position == 0 { version } else { watch.position };
    wrong::line(wrong, known, reached)
}

/// Text that is no JSON or no UTF-8 any more, on a line of its own as before.
pub(crate) fn alter(fault: &Fault, text: &str, random: &mut Random) -> (Kind, Vec<u8>) {
    let body = text.trim_end();
    let at = random.below(body.len());
    let mut altered = body.as_bytes().to_vec();
    let kind = if matches!(fault, Fault::BadUtf8 { .. }) {
        altered.splice(at..at, *random.pick(&[[0xff, 0xfe], [0xc3, 0x28], [0x80, 0xbf]]));
        Kind::BadUtf8
    } else {
        match random.below(4) {
            0 => altered.truncate(at),
            1 => altered[at] = 0x01,
            2 => altered.extend_from_slice(b"}"),
            _ => drop(altered.splice(at..at, *b"\x00")),
        }
        Kind::BadJson
    };
    debug_assert!(serde_json::from_slice::<serde_json::Value>(&altered).is_err());
    altered.push(b'\n');
    (kind, altered)
}
