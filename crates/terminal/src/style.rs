//! The colors of the output, used only on a terminal.

use anstyle::{AnsiColor, Reset, Style};

/// Resets the style.
pub const PLAIN: Reset = Reset;

/// Errors.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Emphasis.
pub const STRONG: Style = Style::new().bold();

/// Secondary text.
pub const FAINT: Style = Style::new().dimmed();

/// What two positions share.
pub const SHARED: Style = AnsiColor::Green.on_default();

/// What only one of two positions has.
pub const DIFFERENT: Style = AnsiColor::Yellow.on_default();
