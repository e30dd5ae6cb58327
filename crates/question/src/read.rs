//! Reads a question from parameters such as `fen=...&top=5`, with the definitions of the
//! command-line arguments.

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command,
    error::{ContextKind, ContextValue, ErrorKind},
    value_parser,
};

use crate::{Invalid, Question};

/// Reads and settles a question.
///
/// ```
/// use tabiya_question::{read::read, search::Search};
///
/// let error = read::<Search>("fen=8/8/4k3/8/8/4K3/8/8+w+-+-+0+1&top=many").unwrap_err();
/// assert_eq!(error.to_string(), "top: \"many\" is not a whole number in range");
/// ```
///
/// # Errors
///
/// When a parameter is unknown, missing or invalid; the message names it.
pub fn read<Q: Question>(parameters: &str) -> Result<Q, Invalid> {
    let mut question: Q = parse(parameters)?.1;
    question.settle()?;
    Ok(question)
}

/// Reads arguments that are not a question.
///
/// # Errors
///
/// When a parameter is unknown, missing or invalid; the message names it.
pub fn read_arguments<A: Args>(parameters: &str) -> Result<A, Invalid> {
    Ok(parse(parameters)?.1)
}

/// Reads a question within the limits of a server.
///
/// # Errors
///
/// Those of [`read`], and when a number exceeds a limit.
pub fn read_within_limits<Q: Question>(parameters: &str) -> Result<Q, Invalid> {
    let (matches, mut question) = parse::<Q>(parameters)?;
    for &(name, least, greatest) in Q::LIMITS {
        let raw = matches.get_raw(name).and_then(|mut it| it.next());
        let number = raw.and_then(|it| it.to_str()?.parse::<f64>().ok());
        if number.is_some_and(|it| !(least..=greatest).contains(&it)) {
            let range = format!("the server accepts {least} to {greatest}; ask for less");
            return Err(Invalid::new(name, range));
        }
    }
    question.settle()?;
    Ok(question)
}

fn parse<Q: Args>(parameters: &str) -> Result<(ArgMatches, Q), Invalid> {
    let command = command::<Q>();
    let mut arguments = Vec::new();
    for (name, value) in form_urlencoded::parse(parameters.as_bytes()) {
        if !is_name(&name) {
            return Err(unknown(&name, None));
        }
        arguments.push(format!("--{name}={value}"));
    }
    let matches = command
        .try_get_matches_from(arguments)
        .map_err(|error| invalid(&error))?;
    let question = Q::from_arg_matches(&matches).map_err(|error| invalid(&error))?;
    Ok((matches, question))
}

fn is_name(name: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    !name.is_empty() && name.chars().all(is_plain)
}

/// The parameters of a question: its arguments, all named; flags take a value.
pub(crate) fn command<Q: Args>() -> Command {
    let command = Command::new("parameters")
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true);
    Q::augment_args(command).mut_args(named)
}

fn named(argument: Arg) -> Arg {
    let name = argument.get_id().clone();
    let argument = argument.long(name).num_args(1);
    match argument.get_action() {
        ArgAction::SetTrue => argument
            .action(ArgAction::Set)
            .value_parser(value_parser!(bool))
            .default_value("false"),
        _ => argument,
    }
}

/// Translates an error of `clap` from arguments to parameters.
fn invalid(error: &clap::Error) -> Invalid {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(it)) => Some(it.clone()),
        Some(ContextValue::Strings(several)) => several.first().cloned(),
        _ => None,
    };
    let name = text(ContextKind::InvalidArg).map(|it| name_of(&it).to_owned());
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    match (error.kind(), name) {
        (ErrorKind::UnknownArgument, Some(name)) => unknown(
            &name,
            text(ContextKind::SuggestedArg).as_deref().map(name_of),
        ),
        (ErrorKind::MissingRequiredArgument, Some(name)) => {
            Invalid::new(&name, "this parameter is required")
        }
        (ErrorKind::InvalidValue, Some(name)) => match error.get(ContextKind::ValidValue) {
            _ if value.is_empty() => Invalid::new(&name, "this parameter needs a value"),
            Some(ContextValue::Strings(valid)) => {
                let valid = valid.join(", ");
                Invalid::new(&name, format!("\"{value}\" is not one of {valid}"))
            }
            _ => Invalid::new(&name, format!("\"{value}\" is not valid")),
        },
        (ErrorKind::ValueValidation, Some(name)) => {
            let reason = std::error::Error::source(error).map(reason);
            let reason = reason.unwrap_or_else(|| format!("\"{value}\" is not valid"));
            Invalid::new(&name, reason.replace("VALUE", &value))
        }
        (ErrorKind::ArgumentConflict, Some(name)) => match text(ContextKind::PriorArg) {
            Some(prior) if name_of(&prior) != name => {
                Invalid::new(&name, format!("give this or {}, not both", name_of(&prior)))
            }
            _ => Invalid::new(&name, "this parameter is given twice"),
        },
        _ => {
            let rendered = error.to_string();
            let first = rendered.lines().next().unwrap_or_default();
            Invalid::whole(first.trim_start_matches("error: "))
        }
    }
}

/// Why a value is invalid; with `VALUE` in its place.
fn reason(cause: &(dyn std::error::Error + 'static)) -> String {
    let words = cause.to_string();
    if cause.is::<std::num::ParseIntError>() {
        return "\"VALUE\" is not a whole number in range".to_owned();
    }
    if cause.is::<std::num::ParseFloatError>() {
        return "\"VALUE\" is not a number".to_owned();
    }
    // The range of a number, as `clap` writes it: 4 is not in 1..=3.
    match words
        .split_once(" is not in ")
        .map(|it| it.1.split_once("..="))
    {
        Some(Some((least, greatest))) => format!("\"VALUE\" is not from {least} to {greatest}"),
        _ => words,
    }
}

fn unknown(name: &str, alike: Option<&str>) -> Invalid {
    let remedy = match alike {
        Some(alike) => format!("did you mean {alike}?"),
        None => "see /api/v1/openapi.json for the parameters".to_owned(),
    };
    Invalid::new(name, format!("unknown parameter; {remedy}"))
}

/// The name in `--top <N>`.
fn name_of(argument: &str) -> &str {
    let name = argument.trim_start_matches("--");
    name.split([' ', '=', '<', '[']).next().unwrap_or(name)
}
