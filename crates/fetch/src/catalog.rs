//! The table of public collections: names, addresses, licenses.

use crate::{FetchError, unpack::Form};

/// A family of public collections, a row of the table.
#[derive(Debug)]
pub struct Entry {
    /// The name, in which `{month}` or `{issue}` marks a choice.
    name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// About how large a file is.
    pub size: &'static str,
    /// What the license allows.
    pub license: &'static str,
    /// The beginning of its addresses, which a mirror replaces.
    pub base: &'static str,
    /// The rest of an address.
    path: &'static str,
    /// Where checksums are published, if they are; beside the file.
    sums: Option<&'static str>,
    /// What the file holds.
    form: Form,
    /// What to check if the server does not have a file.
    hint: &'static str,
}

const CC0: &str = "CC0 1.0: free for any use";
const LICHESS: &str = "https://database.lichess.org/";
const MONTH_HINT: &str = "check the month: a file appears a few days after its month ends";

/// All public collections.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "lichess-{month}",
        what: "rated standard games on Lichess in a month, since 2013-01",
        size: "17 MB (2013) to 30 GB",
        license: CC0,
        base: LICHESS,
        path: "standard/lichess_db_standard_rated_{month}.pgn.zst",
        sums: Some("sha256sums.txt"),
        form: Form::Pgn,
        hint: MONTH_HINT,
    },
    Entry {
        name: "lichess-broadcast-{month}",
        what: "games of events that Lichess broadcast in a month, since 2020-01",
        size: "a few MB to 40 MB",
        license: "CC BY-SA 4.0: name Lichess, and share under the same license",
        base: LICHESS,
        path: "broadcast/lichess_db_broadcast_{month}.pgn.zst",
        sums: Some("sha256sums.txt"),
        form: Form::Pgn,
        hint: MONTH_HINT,
    },
    Entry {
        name: "lichess-puzzles",
        what: "Lichess puzzles: each a position, the opponent's move and the solution",
        size: "300 MB",
        license: CC0,
        base: LICHESS,
        path: "lichess_db_puzzle.csv.zst",
        sums: None,
        form: Form::Puzzles,
        hint: "check the address; see https://database.lichess.org/#puzzles",
    },
    Entry {
        name: "twic-{issue}",
        what: "an issue of The Week in Chess, since 920",
        size: "1 to 4 MB",
        license: "free for personal use; redistribution is not granted",
        base: "https://theweekinchess.com/",
        path: "zips/twic{issue}g.zip",
        sums: None,
        form: Form::Zip,
        hint: "check the number of the issue; see https://theweekinchess.com/twic",
    },
    Entry {
        name: "gnuchess-book",
        what: "master games of the GNU Chess opening book, version 1.02",
        size: "26 MB",
        license: "public domain",
        base: "https://deb.debian.org/debian/pool/main/g/gnuchess-book/",
        path: "gnuchess-book_1.02.orig.tar.gz",
        sums: Some("gnuchess-book_1.02-2.1.dsc"),
        form: Form::Tar,
        hint: "check the address; Debian's package gnuchess-book may have moved",
    },
];

const MONTH: &str = "{month}";
const ISSUE: &str = "{issue}";

/// The longest range of names that are fetched at once.
const LONGEST_RANGE: u32 = 1000;

impl Entry {
    /// The name with its choices, such as `lichess-YYYY-MM`.
    pub fn pattern(&self) -> String {
        self.name.replace(MONTH, "YYYY-MM").replace(ISSUE, "N")
    }

    /// The files that a name means, if it is one of this family.
    fn items(&'static self, name: &str) -> Option<Vec<Item>> {
        let kinds: [(&str, Key); 2] = [(MONTH, MONTHS), (ISSUE, ISSUES)];
        let choice = kinds.iter().find(|it| self.name.ends_with(it.0));
        let Some((mark, key)) = choice else {
            return (name == self.name).then(|| vec![self.item("", "")]);
        };
        let chosen = name.strip_prefix(self.name.strip_suffix(mark)?)?;
        let (first, last) = chosen.split_once("..").unwrap_or((chosen, chosen));
        let (first, last) = ((key.parse)(first)?, (key.parse)(last)?);
        let length = last.checked_sub(first)?;
        let range = (length < LONGEST_RANGE).then_some(first..=last)?;
        let item = |it| self.item(mark, &(key.print)(it));
        Some(range.map(item).collect())
    }

    fn item(&'static self, mark: &str, choice: &str) -> Item {
        let fill = |text: &str| match mark {
            "" => text.to_owned(),
            mark => text.replace(mark, choice),
        };
        Item {
            name: fill(self.name),
            choice: choice.to_owned(),
            entry: self,
            path: fill(self.path),
        }
    }
}

/// What a name chooses, as a number.
#[derive(Clone, Copy)]
struct Key {
    parse: fn(&str) -> Option<u32>,
    print: fn(u32) -> String,
}

const MONTHS: Key = Key {
    parse: parse_month,
    print: |it| format!("{:04}-{:02}", it / 12, it % 12 + 1),
};

const ISSUES: Key = Key {
    parse: parse_issue,
    print: |it| it.to_string(),
};

/// Months since the year 0.
fn parse_month(text: &str) -> Option<u32> {
    let (year, month) = text.split_once('-')?;
    let has_form = year.len() == 4 && month.len() == 2;
    let (year, month) = (digits(year)?, digits(month)?);
    (has_form && (1..=12).contains(&month)).then(|| year * 12 + month - 1)
}

fn parse_issue(text: &str) -> Option<u32> {
    digits(text).filter(|it| (1..=9999).contains(it))
}

fn digits(text: &str) -> Option<u32> {
    let is_number = text.len() <= 4 && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// One file to fetch.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name, such as `twic-1500`.
    pub name: String,
    /// Its row in the table.
    pub entry: &'static Entry,
    /// The part of its name that differs from others in a range.
    choice: String,
    path: String,
}

impl Item {
    /// Where it is, with the beginning of the address replaced if `base` is given.
    pub fn address(&self, base: Option<&str>) -> String {
        join(base.unwrap_or(self.entry.base), &self.path)
    }

    /// Where its checksum is published, if it is.
    pub(crate) fn sums_address(&self, base: Option<&str>) -> Option<String> {
        let folder = self.path.rsplit_once('/').map_or("", |it| it.0);
        let path = self.entry.sums.map(|it| join(folder, it))?;
        Some(join(base.unwrap_or(self.entry.base), &path))
    }

    /// The name of the file.
    pub(crate) fn file(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(crate) fn form(&self) -> Form {
        self.entry.form
    }

    pub(crate) fn hint(&self) -> &'static str {
        self.entry.hint
    }
}

fn join(base: &str, path: &str) -> String {
    match base.trim_end_matches('/') {
        "" => path.to_owned(),
        base => format!("{base}/{path}"),
    }
}

/// The files that a name means: one, or several for a range such as `twic-1490..1500`.
///
/// # Errors
///
/// When there is no such name.
pub fn find(name: &str) -> Result<Vec<Item>, FetchError> {
    let found = ENTRIES.iter().find_map(|it| it.items(name));
    found.ok_or_else(|| {
        let patterns: Vec<String> = ENTRIES.iter().map(Entry::pattern).collect();
        FetchError::Name {
            name: name.to_owned(),
            remedy: format!(
                "names are {} and ranges such as twic-1490..1500",
                patterns.join(", ")
            ),
        }
    })
}

/// The name of neighboring files, such as `twic-1490..1500`.
pub fn range(items: &[Item]) -> String {
    match items {
        [] => String::new(),
        [item] => item.name.clone(),
        [first, .., last] => format!("{}..{}", first.name, last.choice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, addresses: &[&str]) {
        let items = find(name).unwrap();
        let found: Vec<String> = items.iter().map(|it| it.address(None)).collect();
        assert_eq!(found, addresses);
    }

    #[test]
    fn names_lead_to_addresses() {
        check(
            "lichess-2024-01",
            &["https://database.lichess.org/standard/lichess_db_standard_rated_2024-01.pgn.zst"],
        );
        check(
            "lichess-broadcast-2023-12..2024-01",
            &[
                "https://database.lichess.org/broadcast/lichess_db_broadcast_2023-12.pgn.zst",
                "https://database.lichess.org/broadcast/lichess_db_broadcast_2024-01.pgn.zst",
            ],
        );
        check(
            "lichess-puzzles",
            &["https://database.lichess.org/lichess_db_puzzle.csv.zst"],
        );
        check(
            "twic-1500",
            &["https://theweekinchess.com/zips/twic1500g.zip"],
        );
        let issues = find("twic-1490..1500").unwrap();
        assert_eq!(issues.len(), 11);
        assert_eq!(range(&issues[3..]), "twic-1493..1500");
        assert_eq!(range(&issues[10..]), "twic-1500");
        let months = find("lichess-2023-11..2024-02").unwrap();
        assert_eq!(range(&months[1..]), "lichess-2023-12..2024-02");
        check(
            "gnuchess-book",
            &[
                "https://deb.debian.org/debian/pool/main/g/gnuchess-book/gnuchess-book_1.02.orig.tar.gz",
            ],
        );
    }

    #[test]
    fn checksums_lie_beside_their_file_on_a_mirror_too() {
        let sums = |name: &str| find(name).unwrap()[0].sums_address(Some("http://mirror/x/"));
        assert_eq!(
            sums("lichess-2024-01").unwrap(),
            "http://mirror/x/standard/sha256sums.txt"
        );
        assert_eq!(
            sums("gnuchess-book").unwrap(),
            "http://mirror/x/gnuchess-book_1.02-2.1.dsc"
        );
        assert_eq!(sums("twic-1500"), None);
    }

    #[test]
    fn other_names_are_refused_with_a_remedy() {
        for name in [
            "",
            "lichess",
            "lichess-2024",
            "lichess-2024-13",
            "lichess-2024-1",
            "lichess-+024-01",
            "twic-",
            "twic-0",
            "twic-x",
            "twic-1500..1490",
            "twic-1..9999",
            "twic-1..",
            "gnuchess-book-2",
            "../twic-1",
        ] {
            let error = find(name).err().unwrap().to_string();
            assert!(error.contains("lichess-YYYY-MM"), "{name}: {error}");
        }
    }
}
