//! `tabiya completions`: a completion script for a shell.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya")]
pub(crate) struct Options {
    /// Shell to complete for
    shell: Shell,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut command = crate::Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "tabiya", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(())
}
