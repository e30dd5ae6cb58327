//! Help that fits the terminal, and examples in it that work.

use clap::{Command, CommandFactory, Parser};

use crate::screen;

/// No line of help is longer, however wide the terminal is.
const WIDEST: usize = 100;

/// Reads the arguments of a program. Prints help or what is wrong with them, and exits, as clap does.
pub fn parse<P: Parser>() -> P {
    let mut matches = fitted(P::command(), screen::width().min(WIDEST)).get_matches();
    match P::from_arg_matches_mut(&mut matches) {
        Ok(arguments) => arguments,
        Err(error) => error.format(&mut P::command()).exit(),
    }
}

/// The program with help of this width.
fn fitted(program: Command, width: usize) -> Command {
    let fit = |verb: Command| match verb.get_after_help().map(ToString::to_string) {
        Some(help) => verb.after_help(join(&help)),
        None => verb,
    };
    program.term_width(width).mut_subcommands(fit)
}

/// Text with each paragraph on one line, for clap to break. Indented lines stay as they are.
fn join(text: &str) -> String {
    let mut joined = String::new();
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        joined.push_str(line);
        match lines.peek() {
            Some(next) if is_prose(line) && is_prose(next) => joined.push(' '),
            Some(_) => joined.push('\n'),
            None => {}
        }
    }
    joined
}

/// For tests: the examples in a program's help that it would not accept, with the reasons.
pub fn broken_examples<P: CommandFactory>() -> Vec<String> {
    let program = P::command();
    let verbs = program.get_subcommands();
    let helps = verbs
        .filter_map(|it| it.get_after_help())
        .map(ToString::to_string);
    let mut broken = Vec::new();
    for help in helps {
        for line in help
            .replace("\\\n", "")
            .lines()
            .filter(|it| it.starts_with(' '))
        {
            let Some(from) = line.find(&format!("{} ", program.get_name())) else {
                continue;
            };
            if let Err(error) = P::command().try_get_matches_from(words(&line[from..])) {
                broken.push(format!("{line}: {error}"));
            }
        }
    }
    broken
}

/// The words of a line as a shell reads them, up to a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for it in line.chars() {
        match (quote, it) {
            (None, '|' | '>') => break,
            (None, ' ') => words.push(String::new()),
            (None, '"' | '\'') => quote = Some(it),
            (Some(open), _) if it == open => quote = None,
            _ => words.last_mut().into_iter().for_each(|word| word.push(it)),
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_examples_kept() {
        let text = "Examples:\n  one\n  two\n\nIt is\nlong.\n\nEnd";
        assert_eq!(join(text), "Examples:\n  one\n  two\n\nIt is long.\n\nEnd");
        assert_eq!(join(""), "");
    }

    #[test]
    fn lines_are_read_as_a_shell_does() {
        let line = "tabiya find 'R==1 r==1'  --like \"8/8 w\" > games.pgn";
        assert_eq!(
            words(line),
            ["tabiya", "find", "R==1 r==1", "--like", "8/8 w"]
        );
    }

    #[test]
    fn help_has_the_width() {
        let verb = Command::new("ask").after_help("Some words that\nare broken elsewhere now.");
        let mut program = fitted(Command::new("tabiya").subcommand(verb), 30);
        program.build();
        let help = program.find_subcommand_mut("ask").unwrap().render_help();
        let help = help.to_string();
        assert!(help.lines().all(|it| it.chars().count() <= 30), "{help}");
        assert!(help.contains("Some words that are broken\n"), "{help}");
    }
}
