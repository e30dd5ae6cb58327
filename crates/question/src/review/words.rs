//! A moment in sentences. Each states only what the moment holds.

use super::{Moment, Similar};

/// The sentences about a moment.
pub(super) fn of(moment: &Moment) -> Vec<String> {
    let mut words = vec![verdict(moment), better(moment)];
    words.extend(allowed(moment));
    words.extend(known(moment));
    words.extend(moment.similar.iter().map(similar));
    words.extend(
        moment
            .trap
            .iter()
            .map(|it| format!("The move falls into a trap ({it}).")),
    );
    words
}

fn verdict(moment: &Moment) -> String {
    let severity = match moment.severity {
        "inaccuracy" => "an inaccuracy",
        "mistake" => "a mistake",
        _ => "a blunder",
    };
    let (before, after) = (moment.before.text(), moment.after.text());
    format!(
        "{} is {severity}: {before} before, {after} after.",
        moment.played
    )
}

fn better(moment: &Moment) -> String {
    let line = moment.better_line.join(" ");
    let ideas = match moment.missed.is_empty() {
        true => String::new(),
        false => format!(", with {}", listed(&moment.missed)),
    };
    format!("Better is {}{ideas}: {line}.", moment.better)
}

fn allowed(moment: &Moment) -> Option<String> {
    let reply = moment.played_line.get(1)?;
    let ideas = (!moment.allowed.is_empty()).then(|| listed(&moment.allowed))?;
    Some(format!("It allows {reply}, with {ideas}."))
}

fn known(moment: &Moment) -> Option<String> {
    let known = &moment.known;
    // A single game with the same move may be the reviewed one itself.
    let says_something = known.games > u64::from(known.same == 1);
    let games = says_something.then(|| counted(known.games))?;
    Some(format!(
        "The collection has {games} with this position: {} played {}, {} the move of this game.",
        known.better, moment.better, known.same
    ))
}

fn counted(games: u64) -> String {
    match games {
        1 => "1 game".to_owned(),
        games => format!("{games} games"),
    }
}

fn similar(similar: &Similar) -> String {
    let game = &similar.game;
    let year = game.year.map_or(String::new(), |it| format!(", {it}"));
    let played = match similar.relation {
        "better" => format!("the better move {} was played", similar.san),
        "same" => format!("the same move {} was played", similar.san),
        _ => format!("{} was played", similar.san),
    };
    format!(
        "In a similar position ({:.0} %), {} – {}{year}, {played} ({}).",
        100.0 * similar.similarity,
        game.white,
        game.black,
        game.result
    )
}

/// Words in a row: `a fork and a pin`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
