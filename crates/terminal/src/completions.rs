//! The verb `completions`: a completion script for a shell.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::Shell;

/// The arguments of the verb.
#[derive(Debug, Args)]
pub struct Options {
    /// Shell to complete for
    shell: Shell,
}

/// Prints the script of a program.
///
/// # Errors
///
/// When it cannot be written.
pub fn run(options: &Options, mut program: Command) -> anyhow::Result<()> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut program, name, &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(())
}
