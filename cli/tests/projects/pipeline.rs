//! The CI file and the Dockerfile of a project, which run here what they run there.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

use crate::{Projects, succeed, target};

/// The job of a project's CI file.
pub(crate) struct Ci {
    environment: Vec<(String, String)>,
    /// The commands, without those that install programs.
    commands: Vec<String>,
}

impl Ci {
    pub(crate) fn read(project: &Path) -> Self {
        let text = fs::read_to_string(project.join(".github/workflows/ci.yaml")).unwrap();
        let file: Value = serde_saphyr::from_str(&text).unwrap();
        let job = &file["jobs"]["test"];
        let variables = job["env"].as_object().unwrap();
        let environment = variables.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        let (mut commands, mut skipped) = (Vec::new(), Vec::new());
        for step in job["steps"].as_array().unwrap() {
            match (step["run"].as_str(), step["uses"].as_str()) {
                (Some(command), None) if !command.starts_with("rustup ") => commands.push(command.to_owned()),
                (command, action) => skipped.extend(command.or(action)),
            }
        }
        // These fetch the project, and install Go, Rust, rustfmt and clippy.
        assert_eq!(skipped.len(), 3, "{skipped:?}");
        Self { environment, commands }
    }

    /// Returns the commands that start with a word.
    pub(crate) fn commands(&self, word: &str) -> Vec<&str> {
        let words = [word, &format!("{word} ")].map(str::to_owned);
        let is_selected = |command: &&String| **command == words[0] || command.starts_with(&words[1]);
        self.commands.iter().filter(is_selected).map(String::as_str).collect()
    }

    /// Runs a command in a project, as the shell of CI does.
    pub(crate) fn run(&self, projects: &Projects, project: &str, command: &str) -> Output {
        let mut shell = Command::new("bash");
        shell.args(["-e", "-c", command]).current_dir(projects.directory.join(project));
        projects.set_environment(&mut shell);
        shell.envs(self.environment.iter().cloned()).output().unwrap()
    }

    /// Returns a command with its variables, as a person enters it.
    pub(crate) fn command_line(&self, command: &str) -> String {
        let variables: String = self.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        variables + command
    }
}

/// The Dockerfile of a project.
pub(crate) struct Dockerfile {
    /// The command that compiles the program.
    build: String,
    /// The path of the program in the stage that compiles it.
    program: PathBuf,
}

impl Dockerfile {
    /// Reads the file, whose image starts the program that it contains, as a user without privileges.
    pub(crate) fn read(project: &Path) -> Self {
        let text = fs::read_to_string(project.join("Dockerfile")).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let instructions: Vec<_> = lines.map(|line| line.split_once(' ').unwrap()).collect();
        let all = |name: &str| -> Vec<&str> {
            instructions.iter().filter(|(it, _)| *it == name).map(|(_, rest)| *rest).collect()
        };
        let [_, image] = all("FROM")[..] else { panic!("{text}") };
        assert!(image.ends_with(":nonroot") && all("USER").is_empty(), "{text}");
        let [packages, build] = all("RUN")[..] else { panic!("{text}") };
        assert!(packages.starts_with("apk add "), "{text}");
        let [". .", copied] = all("COPY")[..] else { panic!("{text}") };
        let words: Vec<_> = copied.split(' ').collect();
        let ["--from=build", program, installed] = words[..] else { panic!("{text}") };
        assert_eq!(all("ENTRYPOINT"), [format!("[\"{installed}\"]")], "{text}");
        let program = Path::new(program).strip_prefix(Path::new(all("WORKDIR")[0]).join("target")).unwrap();
        Self { build: build.to_owned(), program: program.to_owned() }
    }

    /// Builds the program as the image does, and returns its path: for musl if there is a compiler for it, which is the host of the
    /// image.
    pub(crate) fn build(&self, projects: &Projects, project: &str) -> PathBuf {
        let triple = format!("{}-unknown-linux-musl", env::consts::ARCH);
        let is_static = has_target(&triple);
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", &self.build]).current_dir(projects.directory.join(project));
        projects.set_environment(&mut shell);
        if is_static {
            shell.env("CARGO_BUILD_TARGET", &triple);
        }
        succeed(shell.output().unwrap());
        let directory = if is_static { target().join(triple) } else { target().to_owned() };
        let program = directory.join(&self.program);
        let interpreter: &[u8] = b"/ld-";
        let is_dynamic = fs::read(&program).unwrap().windows(interpreter.len()).take(4096).any(|it| it == interpreter);
        assert_eq!(is_dynamic, !is_static, "{}", program.display());
        program
    }
}

/// Whether Rust and C can be compiled for a target with musl.
fn has_target(triple: &str) -> bool {
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", triple])
        .output()
        .is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir());
    libraries && Command::new("musl-gcc").arg("--version").output().is_ok_and(|output| output.status.success())
}
