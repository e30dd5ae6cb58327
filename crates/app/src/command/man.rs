//! `tabiya man`: the manual pages.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya man | man -l -
  tabiya man --output ~/.local/share/man/man1")]
pub(crate) struct Options {
    /// Directory for the manual pages of the program and of each verb
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let command = crate::Arguments::command();
    match &options.output {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            clap_mangen::generate_to(command, folder)
                .with_context(|| folder.display().to_string())?;
        }
        None => clap_mangen::Man::new(command).render(&mut std::io::stdout().lock())?,
    }
    Ok(())
}
