//! How a program ends when something failed.

use std::io::{self, Write};

use crate::style;

/// Prints what went wrong, and returns the exit code for it.
pub fn failure(error: &anyhow::Error) -> i32 {
    // The reader of our output has closed it; that is not a failure.
    if is_broken_pipe(error) {
        return 0;
    }
    // Without standard error, the exit code has to do.
    let _ = writeln!(
        anstream::stderr().lock(),
        "{}error:{} {error:#}",
        style::ERROR,
        style::PLAIN
    );
    1
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>();
        io.or(json.and_then(serde_json::Error::io_error_kind)) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// Ends the program as for a wrong argument.
pub fn usage(message: &str) -> ! {
    clap::Error::raw(
        clap::error::ErrorKind::ValueValidation,
        format!("{message}\n"),
    )
    .exit()
}
