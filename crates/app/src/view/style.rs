//! The few colors we use. They are left out where output is no terminal.

use anstyle::{AnsiColor, Reset, Style};

/// Turns everything off again.
pub(crate) const PLAIN: Reset = Reset;

/// What went wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// What stands out.
pub(crate) const STRONG: Style = Style::new().bold();

/// What stands back.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// What two things share.
pub(crate) const SHARED: Style = AnsiColor::Green.on_default();

/// What only one of two things has.
pub(crate) const DIFFERENT: Style = AnsiColor::Yellow.on_default();
