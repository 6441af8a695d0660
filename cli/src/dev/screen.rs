//! The live table of a session in a terminal.

use std::{collections::VecDeque, io::Write as _, path::Path, sync::mpsc::Sender, thread, time::Duration};

use terminal_size::{Height, Width, terminal_size};

use super::{KUBECONFIG, Message, objects::Objects};

/// How many lines of the operator are kept: more than a terminal shows.
const MAX_LOG: usize = 200;
/// The size of a terminal that does not report one.
const DEFAULT_SIZE: (usize, usize) = (100, 30);
const CLEAR: &str = "\x1b[2J\x1b[H";
/// How often the size of the terminal is read: quickly for a person, and a negligible cost. The signal of a change, SIGWINCH, needs a
/// handler, and other platforms do not have it.
const SIZE_INTERVAL: Duration = Duration::from_millis(200);
/// What further lines of a long one start with.
const INDENT: &str = "    ";
const HEADER: [&str; 4] = ["KIND", "NAMESPACE", "NAME", "CONDITIONS"];

/// Sends a message whenever the terminal has another size.
pub(super) fn watch_size(sender: Sender<Message>) {
    thread::spawn(move || {
        let mut last = terminal_size();
        loop {
            thread::sleep(SIZE_INTERVAL);
            let size = terminal_size();
            if size != last && sender.send(Message::Resized).is_err() {
                return;
            }
            last = size;
        }
    });
}

pub(super) struct Screen {
    name: String,
    status: String,
    pub(super) objects: Objects,
    log: VecDeque<String>,
    /// Whether errors of the compiler are on the screen.
    is_paused: bool,
    has_colors: bool,
}

impl Screen {
    pub(super) fn new(project: &Path) -> Self {
        let name = project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let has_colors = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            name,
            status: String::new(),
            objects: Objects::default(),
            log: VecDeque::new(),
            is_paused: false,
            has_colors,
        }
    }

    pub(super) fn set_status(&mut self, status: &str) {
        self.is_paused = false;
        status.clone_into(&mut self.status);
        self.draw();
    }

    /// Leaves what is on the screen until the next status.
    pub(super) fn pause(&mut self) {
        println!("{}", self.status);
        self.is_paused = true;
    }

    pub(super) fn log(&mut self, line: &str) {
        self.objects.read_log(line);
        self.log.push_back(line.to_owned());
        if self.log.len() > MAX_LOG {
            self.log.pop_front();
        }
    }

    pub(super) fn draw(&self) {
        if self.is_paused {
            return;
        }
        let size = terminal_size().map(|(Width(width), Height(height))| (width.into(), height.into()));
        let (width, height) = size.unwrap_or(DEFAULT_SIZE);
        let mut out = std::io::stdout().lock();
        // A terminal that is gone ends the program by a signal.
        let _ = write!(out, "{CLEAR}{}", self.text(width, height)).and_then(|()| out.flush());
    }

    /// Returns the lines that fit.
    fn text(&self, width: usize, height: usize) -> String {
        let mut lines = vec![
            self.bold(&cut(&format!("{}: {}", self.name, self.status), width)),
            cut(&format!("export KUBECONFIG={KUBECONFIG}"), width),
            String::new(),
        ];
        let mut rows = table(&self.objects).into_iter();
        lines.extend(rows.next().map(|header| self.bold(&cut(&header, width))));
        lines.extend(rows.flat_map(|row| wrap(&row, width)));
        let events = self.objects.events.iter().flat_map(|event| wrap(event, width));
        self.add_part(&mut lines, &cut("EVENTS", width), events.collect());
        // Many objects leave a third of the screen to the operator.
        if !self.log.is_empty() {
            lines.truncate((height * 2).div_ceil(3).max(1));
        }
        // The last lines of the operator have the rest of the screen, without the line of the cursor.
        let room = height.saturating_sub(lines.len() + 3);
        let log: Vec<_> = self.log.iter().flat_map(|line| wrap(line, width)).collect();
        let hidden = log.len().saturating_sub(room);
        self.add_part(&mut lines, &cut("OUTPUT", width), log[hidden..].to_vec());
        lines.truncate(height.saturating_sub(1));
        lines.into_iter().map(|line| line + "\n").collect()
    }

    fn add_part(&self, lines: &mut Vec<String>, title: &str, part: Vec<String>) {
        if !part.is_empty() {
            lines.extend([String::new(), self.bold(title)]);
            lines.extend(part);
        }
    }

    fn bold(&self, text: &str) -> String {
        if self.has_colors { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Returns the table of all objects, with aligned columns, and below an object its error.
fn table(objects: &Objects) -> Vec<String> {
    let header = HEADER.map(str::to_owned);
    let row = |([kind, namespace, name], conditions): (&[String; 3], &Vec<String>)| {
        [kind.clone(), namespace.clone(), name.clone(), conditions.join(", ")]
    };
    let errors = objects.conditions.keys().map(|key| objects.failure_of(key));
    let rows: Vec<[String; 4]> = std::iter::once(header).chain(objects.conditions.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let [kind, namespace, name] = [0, 1, 2].map(width);
    let line = |row: &[String; 4]| format!("{:kind$}  {:namespace$}  {:name$}  {}", row[0], row[1], row[2], row[3]);
    let lines = rows.iter().zip(std::iter::once(None).chain(errors)).flat_map(|(row, error)| {
        let error = error.map(|error| format!("{INDENT}error: {error}"));
        [Some(line(row).trim_end().to_owned()), error].into_iter().flatten()
    });
    lines.collect()
}

/// Returns all of a line, in lines that fit.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let text = plain(line);
    let mut rest: Vec<char> = text.chars().collect();
    let mut lines = vec![rest.drain(..width.min(rest.len())).collect::<String>()];
    let indent = if width > 2 * INDENT.len() { INDENT } else { "" };
    while !rest.is_empty() {
        let length = (width - indent.len()).clamp(1, rest.len());
        lines.push(indent.chars().chain(rest.drain(..length)).collect());
    }
    lines
}

/// Returns the start of a line.
fn cut(line: &str, width: usize) -> String {
    plain(line).chars().take(width).collect()
}

/// Returns a line without what moves the cursor.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            // A sequence for colors ends with a letter.
            '\x1b' => while characters.next().is_some_and(|character| !character.is_ascii_alphabetic()) {},
            character if character.is_control() => text.push(' '),
            character => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen() -> Screen {
        let mut screen = Screen { has_colors: false, ..Screen::new(Path::new("/a/garage")) };
        screen.status = "the operator runs".to_owned();
        for line in [
            r#"{"action":"changed","kind":"Car","namespace":"default","name":"one","conditions":[{"type":"Ready","status":"True"}]}"#,
            r#"{"action":"changed","kind":"HTTPRoad","name":"two","conditions":[]}"#,
            r#"{"action":"event","kind":"Car","namespace":"default","name":"one","type":"Normal","reason":"Started","message":"It runs."}"#,
        ] {
            screen.objects.update(line);
        }
        (0..50).for_each(|number| screen.log(&format!("line {number}")));
        screen
    }

    #[test]
    fn the_table_the_events_and_the_last_lines_are_shown() {
        let expected = "\
garage: the operator runs
export KUBECONFIG=target/dev/kubeconfig.yaml

KIND      NAMESPACE  NAME  CONDITIONS
Car       default    one   Ready=True
HTTPRoad             two

EVENTS
Normal Car default/one Started: It runs.

OUTPUT
line 48
line 49
";
        assert_eq!(screen().text(80, 14), expected);
        let narrow = screen().text(10, 5);
        assert_eq!((narrow.lines().count(), narrow.lines().map(str::len).max()), (4, Some(10)));
    }

    #[test]
    fn long_lines_are_shown_as_a_whole() {
        let mut screen = screen();
        screen.log.clear();
        screen.log(r#"WARN reconcile{controller=car}: run: reconciliation failed key=default/one error="there is no fuel in the tank of this car""#);
        let text = screen.text(60, 24);
        assert!(
            text.contains("one   Ready=True\n    error: there is no fuel in the tank of this car\nHTTPRoad"),
            "{text}"
        );
        let joined = text.replace("\n    ", "");
        assert!(
            joined.contains("reconciliation failed key=default/one error=\"there is no fuel in the tank of this car\""),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        for width in [1, 2, 5, 9] {
            assert!(screen.text(width, 24).lines().all(|line| line.chars().count() <= width));
        }
        screen.text(0, 0);
    }

    #[test]
    fn many_objects_leave_room_for_the_output() {
        let mut screen = screen();
        for number in 0..40 {
            let name = format!("car-{number}");
            screen.objects.update(&format!(r#"{{"action":"changed","kind":"Car","name":"{name}","conditions":[]}}"#));
        }
        assert!(screen.text(80, 24).contains("\nOUTPUT\n"));
    }

    #[test]
    fn lines_are_cut_without_sequences() {
        assert_eq!(cut("\x1b[2mWARN\x1b[0m a\tb", 8), "WARN a b");
        let colored = Screen { has_colors: true, ..screen() };
        assert!(colored.text(80, 14).starts_with("\x1b[1mgarage: the operator runs\x1b[0m\n"));
    }
}
