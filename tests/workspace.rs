//! A folder to try a program in. The tests of `tabiya` and of `tabiya-lab` share this file; each has its path in
//! `crate::PROGRAM`.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tabiya_chess::pgn::Input;
use tabiya_retrieval::collection::{Import, Progress};
use tempfile::TempDir;

/// A temporary folder, gone with its value.
pub(crate) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Workspace {
        Workspace {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A workspace with a collection `db` of these games, all plies indexed.
    pub(crate) fn with_games(pgn: &str) -> Workspace {
        let workspace = Workspace::new();
        let games = workspace.write("games.pgn", pgn);
        workspace.import(Import {
            skip: Some(0),
            ..Import::new(vec![Input::File(games)])
        });
        workspace
    }

    /// A workspace with a collection `db` of the historical games.
    pub(crate) fn with_history() -> Workspace {
        let workspace = Workspace::new();
        let files = historical_files().into_iter().map(Input::File);
        workspace.import(Import::new(files.collect()));
        workspace
    }

    fn import(&self, import: Import) {
        import.run(&self.path("db"), &Progress::default()).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program, to be run in this folder.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        command.env_remove("TABIYA_DB");
        command
            .current_dir(self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::new(self.command().args(arguments).output().unwrap())
    }

    /// Runs a line of words without spaces in them.
    pub(crate) fn words(&self, line: &str) -> Ran {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs a line of words with `--json`, and reads the answer.
    pub(crate) fn json(&self, line: &str) -> Value {
        self.words(&format!("{line} --json")).succeed().json()
    }

    /// All verbs, as the overview lists them.
    pub(crate) fn verbs(&self) -> Vec<String> {
        let overview = self.words("--help").succeed().out;
        let listed = overview.split("Commands:\n").nth(1).unwrap();
        let listed = listed.lines().take_while(|it| !it.is_empty());
        let names = listed.filter(|it| it.starts_with("  ") && !it.starts_with("   "));
        let names = names.map(|it| it.split_whitespace().next().unwrap());
        let names = names.filter(|it| *it != "help").map(str::to_owned);
        let verbs: Vec<String> = names.collect();
        assert!(verbs.len() >= 15, "{verbs:?}");
        verbs
    }
}

/// The files of the historical games of the sample, in order.
pub(crate) fn historical_files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sample/historical");
    let files = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

/// What came of running the program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn new(output: Output) -> Ran {
        let ran = Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    #[track_caller]
    pub(crate) fn succeed(self) -> Ran {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that it failed with this code, and said so in these words.
    #[track_caller]
    pub(crate) fn fail(self, code: i32, words: &str) -> Ran {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(
            self.err.contains(words),
            "expected \"{words}\" in: {}",
            self.err
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect(&self.out)
    }
}
