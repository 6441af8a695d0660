//! Lines of a watch, and the faults that are injected into them.

use super::{
    response::ResponseWriter,
    status_error::StatusError,
    watch::{Watch, event, line},
    wrong_responses,
};
use crate::faults::{Broken, Fault, FaultKind, Random, Stream, WrongEvent};

/// Sends one event as a line. Returns whether the watch continues.
pub(crate) async fn send<S: Stream>(
    watch: &Watch<'_>,
    text: &str,
    to: &mut ResponseWriter<'_, S>,
) -> Result<bool, Broken> {
    if is_due(to) {
        return inject(watch, text, to).await;
    }
    to.line(text.as_bytes()).await?;
    Ok(true)
}

/// Returns whether a fault is due at this line.
fn is_due<S: Stream>(to: &ResponseWriter<'_, S>) -> bool {
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
    to.lines >= line && to.wire.faults_are_active()
}

async fn inject<S: Stream>(watch: &Watch<'_>, text: &str, to: &mut ResponseWriter<'_, S>) -> Result<bool, Broken> {
    let mut random = Random::new(to.wire.plan().seed);
    match to.wire.plan().fault.clone() {
        Fault::Repeat { .. } => {
            to.wire.record_fault(FaultKind::Repeat);
            to.line(text.as_bytes()).await?;
            to.line(text.as_bytes()).await?;
            Ok(true)
        }
        Fault::Older { .. } => {
            to.line(text.as_bytes()).await?;
            if let Some(older) = older(watch, &mut random) {
                to.wire.record_fault(FaultKind::Older);
                to.line(older.as_bytes()).await?;
            }
            Ok(true)
        }
        // A client that ignores the wrong event misses nothing: the right one is sent too.
        Fault::WrongEvent { event, .. } => {
            to.wire.record_fault(FaultKind::WrongEvent(event));
            let line = wrong_line(event, watch, &mut random);
            to.line(line.as_bytes()).await?;
            to.line(text.as_bytes()).await?;
            Ok(true)
        }
        Fault::Error { code, .. } => {
            to.wire.record_fault(FaultKind::Event(code));
            let status = StatusError::of(code).status().to_string();
            to.line(event("ERROR", &status).as_bytes()).await?;
            Ok(false)
        }
        Fault::HalfLine { .. } => {
            to.wire.record_fault(FaultKind::HalfLine);
            let half = random.below(text.len() - 1) + 1;
            to.line(&text.as_bytes()[..half]).await?;
            Ok(false)
        }
        Fault::EarlyEnd { .. } => {
            to.wire.record_fault(FaultKind::EarlyEnd);
            Ok(false)
        }
        // The watch continues after an invalid line, as a real server's would.
        fault => {
            let (kind, altered) = alter(&fault, text, &mut random);
            to.wire.record_fault(kind);
            to.line(&altered).await?;
            Ok(true)
        }
    }
}

/// Returns an event that this watch, or the one that it continues, may have sent before its last one.
fn older(watch: &Watch<'_>, random: &mut Random) -> Option<String> {
    let log = watch.server.storage.log();
    let (namespace, selector) = (&watch.request.namespace, &watch.request.selector);
    let sent: Vec<_> = log
        .iter()
        .take_while(|change| change.version < watch.position)
        .filter_map(|change| change.event(namespace.as_deref(), selector))
        .collect();
    let back = random.magnitude(sent.len().max(1)) + 1;
    sent.get(sent.len().checked_sub(back)?).map(line)
}

/// Returns a wrong line for an object that the client may have, if there is one.
fn wrong_line(wrong: WrongEvent, watch: &Watch<'_>, random: &mut Random) -> String {
    let (version, objects) = watch.server.storage.newest();
    let seen: Vec<_> = objects.values().filter(|object| watch.request.selects(object)).collect();
    let known = if seen.is_empty() {
        "{\"metadata\":{\"name\":\"absent\",\"namespace\":\"absent\"}}"
    } else {
        random.pick(&seen).json()
    };
    let reached = if watch.position == 0 { version } else { watch.position };
    wrong_responses::line(wrong, known, reached)
}

/// Turns a line into one that is not valid JSON or not valid UTF-8.
pub(crate) fn alter(fault: &Fault, text: &str, random: &mut Random) -> (FaultKind, Vec<u8>) {
    let body = text.trim_end();
    let at = random.below(body.len());
    let mut altered = body.as_bytes().to_vec();
    let kind = if matches!(fault, Fault::BadUtf8 { .. }) {
        altered.splice(at..at, *random.pick(&[[0xff, 0xfe], [0xc3, 0x28], [0x80, 0xbf]]));
        FaultKind::BadUtf8
    } else {
        match random.below(4) {
            0 => altered.truncate(at),
            1 => altered[at] = 0x01,
            2 => altered.extend_from_slice(b"}"),
            _ => drop(altered.splice(at..at, *b"\x00")),
        }
        FaultKind::BadJson
    };
    debug_assert!(serde_json::from_slice::<serde_json::Value>(&altered).is_err());
    altered.push(b'\n');
    (kind, altered)
}
