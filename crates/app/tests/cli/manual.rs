//! Help, completions and manual pages; and output that nobody takes.

use std::{fs::File, process::Stdio};

use crate::workspace::{Ran, Workspace};

#[test]
fn every_verb_has_help_with_an_example() {
    let workspace = Workspace::new();
    for verb in &workspace.verbs() {
        let help = workspace.words(&format!("{verb} --help")).succeed().out;
        let examples = help.split("Example").nth(1).expect(verb);
        assert!(examples.contains(&format!("tabiya {verb}")), "{help}");
        let prints_text_only = ["completions", "man", "uci"].contains(&verb.as_str());
        assert!(help.contains("--json") || prints_text_only, "{verb}");
    }
    assert!(
        workspace
            .words("--version")
            .succeed()
            .out
            .starts_with("tabiya ")
    );
}

#[test]
fn completions_and_pages_are_made() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = workspace.run(&["completions", shell]).succeed().out;
        assert!(script.contains("symmetry"), "{shell}");
    }
    workspace.words("completions csh").fail(2, "csh");
    assert!(
        workspace
            .words("man")
            .succeed()
            .out
            .contains(".TH tabiya 1")
    );
    workspace.words("man --output pages").succeed();
    for verb in workspace.verbs() {
        let page = workspace.read(&format!("pages/tabiya-{verb}.1"));
        assert!(page.contains("Example"), "{verb}");
    }
}

/// Every way to print: text, JSON, lines, pages.
const PRINTING: [&str; 10] = [
    "stats --db db",
    "stats --db db --json",
    "verify --db db",
    "export --db db",
    "search --moves e4 --db db",
    "search --moves e4 --db db --json",
    "search --moves e4 --db db --output trec",
    "bench --depth 2",
    "completions bash",
    "man",
];

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let workspace = Workspace::with_games("1. e4 e5 *\n");
    for line in PRINTING {
        let mut command = workspace.command();
        command.args(line.split(' ')).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = Ran::new(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_finds_no_room_is_an_error() {
    let workspace = Workspace::with_games("1. e4 e5 *\n");
    for line in PRINTING {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = workspace.command();
        let output = command.args(line.split(' ')).stdout(full).output();
        Ran::new(output.unwrap()).fail(1, "No space left on device");
    }
    workspace
        .words("export --db db -o /dev/full")
        .fail(1, "No space left on device");
}
