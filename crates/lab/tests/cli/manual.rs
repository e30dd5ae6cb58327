//! Help, and output that nobody takes.

use std::process::Stdio;

use crate::workspace::{Ran, Workspace};

#[test]
fn every_verb_has_help_with_an_example() {
    let workspace = Workspace::new();
    for verb in &workspace.verbs() {
        let help = workspace.words(&format!("{verb} --help")).succeed().out;
        let examples = help.split("Example").nth(1).expect(verb);
        assert!(examples.contains(&format!("tabiya-lab {verb}")), "{help}");
        let prints_text_only =
            ["completions", "label", "man", "pairs", "patterns", "uci"].contains(&verb.as_str());
        assert!(help.contains("--json") || prints_text_only, "{verb}");
    }
    let version = workspace.words("--version").succeed().out;
    assert!(version.starts_with("tabiya-lab "), "{version}");
}

const PRINTING: [&str; 4] = [
    "completions bash",
    "man",
    "partial-depth --no-sweep --nodes 1000",
    "partial-depth --no-sweep --nodes 1000 --json",
];

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let workspace = Workspace::new();
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
    let workspace = Workspace::new();
    for line in PRINTING {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = workspace.command();
        let output = command.args(line.split(' ')).stdout(full).output();
        Ran::new(output.unwrap()).fail(1, "No space left on device");
    }
}
