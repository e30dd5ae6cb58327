//! A line on standard output, which may be gone or full.

use std::{fmt, io::Write};

/// Prints a line like `println!`, colors only where they are seen. Ends the
/// program if the line cannot be printed: nothing that follows could be.
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
