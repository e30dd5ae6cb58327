//! The verb `man`: the manual pages.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};

/// The arguments of the verb.
#[derive(Debug, Args)]
pub struct Options {
    /// Directory for the manual pages of the program and of each verb
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints the manual page of a program, or writes those of its verbs too.
///
/// # Errors
///
/// When they cannot be written.
pub fn run(options: &Options, program: Command) -> anyhow::Result<()> {
    match &options.output {
        Some(folder) => {
            let name = || folder.display().to_string();
            std::fs::create_dir_all(folder).with_context(name)?;
            clap_mangen::generate_to(program, folder).with_context(name)?;
        }
        None => clap_mangen::Man::new(program).render(&mut std::io::stdout().lock())?,
    }
    Ok(())
}
