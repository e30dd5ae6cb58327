//! Prints lines on standard output, which may be closed or full.

use std::{fmt, io::Write};

/// Prints a line like `println!`, with colors only on a terminal. Exits if the line cannot
/// be printed.
#[macro_export]
macro_rules! say {
    () => {
        $crate::say::line(format_args!(""))
    };
    ($($text:tt)*) => {
        $crate::say::line(format_args!($($text)*))
    };
}

/// Prints a line; see [`say!`].
pub fn line(text: fmt::Arguments<'_>) {
    if let Err(error) = writeln!(anstream::stdout().lock(), "{text}") {
        std::process::exit(crate::exit::failure(&error.into()));
    }
}
