//! Progress bars for long work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TICK: Duration = Duration::from_millis(120);

/// A progress bar on standard error, drawn only if that is a terminal. It disappears when
/// dropped.
pub struct Bar {
    done: Arc<AtomicBool>,
    drawer: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts a bar up to `total`, if known. `look` returns its position and message.
    pub fn start(total: Option<u64>, look: impl Fn() -> (u64, String) + Send + 'static) -> Bar {
        let bar = match total {
            Some(total) => ProgressBar::new(total).with_style(style(
                "{bar:30.cyan/dim} {percent:>3} %  {msg}  {elapsed} elapsed, {eta} left",
            )),
            None => {
                ProgressBar::no_length().with_style(style("{spinner} {msg}  {elapsed} elapsed"))
            }
        };
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        let done = Arc::new(AtomicBool::new(false));
        let is_done = done.clone();
        let drawer = thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                let (position, message) = look();
                bar.set_position(position);
                bar.set_message(message);
                bar.tick();
                thread::park_timeout(TICK);
            }
            bar.finish_and_clear();
        });
        Bar {
            done,
            drawer: Some(drawer),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(drawer) = self.drawer.take() {
            drawer.thread().unpark();
            // A drawing thread that panicked is harmless.
            let _ = drawer.join();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    // A test checks that the templates are valid.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Calls `stop` when the user presses Ctrl-C. A second Ctrl-C ends the program at once.
pub fn on_interrupt(stop: impl Fn() + Send + 'static) {
    let asked = AtomicBool::new(false);
    // Without a handler Ctrl-C ends the program, which damages no collection.
    let _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        anstream::eprintln!(
            "stopping and keeping finished work (press Ctrl-C again to stop at once)"
        );
        stop();
    });
}

/// A number with thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|it| str::from_utf8(it).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn templates_are_valid() {
        for template in [
            "{bar:30.cyan/dim} {percent:>3} %  {msg}  {elapsed} elapsed, {eta} left",
            "{spinner} {msg}  {elapsed} elapsed",
        ] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
