//! Questions in a terminal.

use std::{
    io::{self, BufRead, IsTerminal as _, Write},
    str::FromStr,
};

use crate::error::Error;

/// Returns a value of the command line, or prompts for it until the answer is valid.
pub(crate) fn or_prompt<T: FromStr<Err = String>>(
    given: Option<T>,
    flag: &'static str,
    question: &str,
) -> Result<T, Error> {
    match given {
        Some(value) => Ok(value),
        None if !io::stdin().is_terminal() => Err(Error::NotATerminal(flag)),
        None => prompt(&mut io::stdin().lock(), &mut io::stderr(), question).map_err(Error::Prompt),
    }
}

fn prompt<T: FromStr<Err = String>>(answers: &mut impl BufRead, out: &mut impl Write, question: &str) -> io::Result<T> {
    loop {
        write!(out, "{question}: ")?;
        out.flush()?;
        let mut answer = String::new();
        if answers.read_line(&mut answer)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match answer.trim().parse() {
            Ok(value) => return Ok(value),
            Err(mistake) => writeln!(out, "  {mistake}")?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Group;

    #[test]
    fn invalid_answers_are_prompted_for_again() {
        let mut out = Vec::new();
        let group: Group = prompt(&mut &b"cars\ncars.example.com\n"[..], &mut out, "Group").unwrap();
        assert_eq!(group.to_string(), "cars.example.com");
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.matches("Group: ").count(), 2);
        assert!(out.contains("has no dot"), "{out}");
    }

    #[test]
    fn an_end_of_the_input_is_an_error() {
        assert!(prompt::<Group>(&mut &b""[..], &mut Vec::new(), "Group").is_err());
    }
}
