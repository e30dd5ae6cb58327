//! `tabiya completions`: completions for a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya")]
pub(crate) struct Options {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut command = crate::Arguments::command();
    clap_complete::generate(
        options.shell,
        &mut command,
        "tabiya",
        &mut std::io::stdout().lock(),
    );
    Ok(())
}
