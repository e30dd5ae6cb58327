//! Progress bars for long work.

use std::{
    io::IsTerminal,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TICK: Duration = Duration::from_millis(120);

/// The time between two lines where no bar can be drawn.
const LINE: Duration = Duration::from_secs(30);

/// A progress bar on standard error, which disappears when dropped; where that is not a terminal,
/// a plain line now and then.
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
        let is_drawn = std::io::stderr().is_terminal();
        let drawer = thread::spawn(move || {
            let begin = Instant::now();
            let mut next_line = LINE;
            while !is_done.load(Ordering::Relaxed) {
                if is_drawn {
                    let (position, message) = look();
                    bar.set_position(position);
                    bar.set_message(message);
                    bar.tick();
                } else if begin.elapsed() >= next_line {
                    let (position, message) = look();
                    anstream::eprintln!("{}", line(position, total, &message, begin.elapsed()));
                    next_line = begin.elapsed() + LINE;
                }
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

/// How far the work is, as a plain line.
fn line(position: u64, total: Option<u64>, message: &str, elapsed: Duration) -> String {
    let share = total.filter(|&it| it > 0).map_or(String::new(), |total| {
        format!("{} %, ", position.saturating_mul(100) / total)
    });
    format!("{share}{message}, {} s elapsed", elapsed.as_secs())
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

/// A number of things, such as `1 game` or `1,234 games`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(0, "game"), "0 games");
        assert_eq!(counted(1, "game"), "1 game");
        assert_eq!(counted(1_234, "game"), "1,234 games");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn lines_say_how_far_the_work_is() {
        let elapsed = Duration::from_secs(12);
        assert_eq!(
            line(250, Some(1000), "250 games", elapsed),
            "25 %, 250 games, 12 s elapsed"
        );
        assert_eq!(line(7, None, "7 games", elapsed), "7 games, 12 s elapsed");
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
