//! The setting of a run: command, corpus, versions, machine.

use std::{env, fs, path::Path, process::Command};

use tabiya_retrieval::Collection;

use crate::{
    corpus::Corpus,
    table::{Format, count},
};

/// Prints the setting of a run.
pub(crate) fn print(corpus: &Corpus, collection: &Collection, format: Format) {
    let lines = [
        ("command", command()),
        (
            "corpus",
            format!(
                "{}: {} games in the text, {} indexed, {} positions, segments: {}",
                corpus.name(),
                count(corpus.games() as u64),
                count(collection.games()),
                count(collection.positions()),
                collection.segments().len()
            ),
        ),
        (
            "versions",
            format!(
                "tabiya {}, {}, {}",
                output_of("git", &["describe", "--always", "--dirty"]),
                tantivy::version_string(),
                output_of("rustc", &["--version"])
            ),
        ),
        ("machine", machine()),
    ];
    for (name, value) in lines {
        match format {
            Format::Terminal => println!("{name:<10}{value}"),
            Format::Markdown => println!("- {name}: {value}"),
        }
    }
}

/// The command without folders, which mean nothing on other machines.
fn command() -> String {
    let names = env::args()
        .skip(1)
        .map(|it| match Path::new(&it).file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => it,
        });
    let parts: Vec<String> = names.collect();
    format!("cargo run --release --bin search -- {}", parts.join(" "))
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|it| it.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| env::consts::ARCH.to_owned());
    format!("{model}, {cores} threads, {}", load())
}

/// The load before the run: wall-clock times need an idle machine.
fn load() -> String {
    let averages = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let minute = averages.split(' ').next().filter(|it| !it.is_empty());
    format!("load {} in the last minute", minute.unwrap_or("unknown"))
}

/// The output of a program, or a question mark.
fn output_of(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()
        .filter(|it| it.status.success())
        .map_or("?".to_owned(), |it| {
            String::from_utf8_lossy(&it.stdout).trim().to_owned()
        })
}
