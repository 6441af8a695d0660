//! Scripts that complete the arguments in a shell.

use clap::{Args as _, Command};
use clap_complete::Shell;

use crate::command_line::Arguments;

/// The name of this program. zsh's completion of cargo finds that of a subcommand under it.
const PROGRAM: &str = "cargo-crdkit";

/// The name in bash: clap's script does not complete the subcommands of a program with a hyphen in its name.
const BASH_PROGRAM: &str = "crdkit";

/// Completes `cargo crdkit`, as well as `cargo-crdkit`, and the rest of `cargo` as before.
const BASH_HOOK: &str = r#"
_cargo_with_crdkit() {
    if [[ ${COMP_WORDS[0]##*/} == cargo-crdkit ]]; then
        COMP_WORDS[0]=crdkit
        _crdkit crdkit "$2" "$3"
    elif [[ ${COMP_WORDS[1]} == crdkit && ${COMP_CWORD} -gt 1 ]]; then
        COMP_WORDS=("${COMP_WORDS[@]:1}")
        COMP_CWORD=$((COMP_CWORD - 1))
        _crdkit crdkit "$2" "$3"
    elif declare -F _cargo >/dev/null; then
        _cargo "$@"
    fi
}
complete -F _cargo_with_crdkit -o bashdefault -o default cargo cargo-crdkit
"#;

const FISH_HOOK: &str = r#"
complete -c cargo -n "__fish_seen_subcommand_from crdkit" -f -a '(
    set -l words (commandline -opc) (commandline -ct)
    complete -C "cargo-crdkit "(string join " " -- $words[3..-1])
)'
"#;

/// Returns the script for a shell.
pub(crate) fn script(shell: Shell) -> String {
    let (program, hook) = match shell {
        Shell::Bash => (BASH_PROGRAM, BASH_HOOK),
        Shell::Fish => (PROGRAM, FISH_HOOK),
        _ => (PROGRAM, ""),
    };
    let mut command = Arguments::augment_args(Command::new(program));
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, program, &mut script);
    String::from_utf8_lossy(&script).into_owned() + hook
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    /// Returns what bash offers for the last of some words.
    fn completed(words: &[&str]) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("completions.bash");
        std::fs::write(&path, script(Shell::Bash)).unwrap();
        let last = words.len() - 1;
        let function =
            format!("source {}; $(complete -p {} | grep -oE -- '-F [^ ]+' | cut -c4-)", path.display(), words[0]);
        let complete = format!(
            "COMP_WORDS=({}); COMP_CWORD={last}; {function} {} '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words[0],
            words[last],
            words[last - 1]
        );
        let output = process::Command::new("bash").args(["--norc", "-c", &complete]).output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn bash_completes_the_subcommand_of_cargo() {
        for program in [&["cargo", "crdkit"][..], &["cargo-crdkit"]] {
            let completed = |words: &[&str]| completed(&[program, words].concat());
            assert_eq!(completed(&["de"]), ["dev", "deploy"]);
            assert_eq!(completed(&["add", "we"]), ["webhook"]);
            assert_eq!(completed(&["new", "garage", "--cl"]), ["--cluster-scoped"]);
        }
        assert_eq!(completed(&["cargo", "bui"]), [""]);
    }

    #[test]
    fn each_shell_has_a_script() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = script(shell);
            assert!(script.contains(PROGRAM) && script.contains("uninstall"), "{shell}");
        }
    }
}
