//! The few colors we use. They are left out where output is no terminal.

use anstyle::{AnsiColor, Reset, Style};

/// Turns everything off again.
pub const PLAIN: Reset = Reset;

/// What went wrong.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// What stands out.
pub const STRONG: Style = Style::new().bold();

/// What stands back.
pub const FAINT: Style = Style::new().dimmed();

/// What two things share.
pub const SHARED: Style = AnsiColor::Green.on_default();

/// What only one of two things has.
pub const DIFFERENT: Style = AnsiColor::Yellow.on_default();
