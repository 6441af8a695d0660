//! "Did you mean" for commands and flags for which clap has no suggestion: it compares letters at similar positions, so that `nwe`
//! does not resemble `new`.

use std::ffi::OsString;

use clap::{
    Command, CommandFactory as _, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};
use crdkit_core::suggest;

use crate::command_line::Cargo;

/// Adds a suggestion to an error about the arguments.
pub(crate) fn add(mut error: Error, arguments: &[OsString]) -> Error {
    let (unknown, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        _ => return error,
    };
    let Some(ContextValue::String(word)) = error.get(unknown).filter(|_| error.get(suggested).is_none()) else {
        return error;
    };
    let mut root = Cargo::command();
    // It adds the arguments of the commands above to each command.
    root.build();
    let command = innermost(&root, arguments);
    let is_command = suggested == ContextKind::SuggestedSubcommand;
    let words: Vec<String> = if is_command {
        command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
    } else {
        command.get_arguments().filter_map(|flag| Some(format!("--{}", flag.get_long()?))).collect()
    };
    if let Some(nearest) = nearest(word, &words) {
        let value = if is_command { ContextValue::Strings(vec![nearest]) } else { ContextValue::String(nearest) };
        error.insert(suggested, value);
    }
    error
}

/// Returns the last command that the arguments name.
fn innermost<'a>(root: &'a Command, arguments: &[OsString]) -> &'a Command {
    let names = arguments.iter().filter_map(|argument| argument.to_str());
    names.fold(root, |command, name| command.find_subcommand(name).unwrap_or(command))
}

fn nearest(word: &str, words: &[String]) -> Option<String> {
    // Letters in another order are two changes, which are too many for a short word.
    let letters = |word: &str| {
        let mut letters: Vec<_> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let reordered = words.iter().find(|known| letters(known) == letters(word));
    let similar = || suggest::nearest_by(word, words, |known| known.as_str());
    reordered.or_else(similar).cloned()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn message(words: &[&str]) -> String {
        let arguments: Vec<OsString> = ["cargo", "crdkit"].iter().chain(words).map(OsString::from).collect();
        let error = Cargo::try_parse_from(&arguments).unwrap_err();
        add(error, &arguments).to_string()
    }

    #[test]
    fn commands_and_flags_that_are_misspelt_have_a_suggestion() {
        for (words, suggested) in [
            (&["nwe"][..], "'new'"),
            (&["enw"], "'new'"),
            (&["dve"], "'dev'"),
            (&["ad"], "'add'"),
            (&["add", "knid"], "'kind'"),
            (&["add", "--format", "json", "verison"], "'version'"),
            (&["new", "garage", "--gruop", "a.b"], "'--group'"),
            (&["dev", "--bni", "a"], "'--bin'"),
            (&["deploy", "--dryrun"], "'--dry-run'"),
            (&["add", "kind", "--fromat", "json"], "'--format'"),
        ] {
            let message = message(words);
            assert!(message.contains(&format!("exists: {suggested}")), "{words:?}: {message}");
        }
        // Those of clap remain.
        assert!(message(&["uninstal"]).contains("'install', 'uninstall'"));
        assert!(!message(&["xyzzy"]).contains("exists:"));
    }
}
