//! Exit codes and messages of a program that fails.

use std::io::{self, Write};

use crate::style;

/// Prints an error and returns its exit code.
pub fn failure(error: &anyhow::Error) -> i32 {
    // The reader closed the pipe; that is not a failure.
    if is_broken_pipe(error) {
        return 0;
    }
    // If standard error is closed, the exit code has to do.
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

/// Exits with a usage error.
pub fn usage(message: &str) -> ! {
    clap::Error::raw(
        clap::error::ErrorKind::ValueValidation,
        format!("{message}\n"),
    )
    .exit()
}
