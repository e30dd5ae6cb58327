//! SHA-256 checksums, and the lists in which they are published.

use std::fmt::Write;

use ring::digest::{Context, SHA256};

/// Computes the checksum of bytes as they pass.
pub(crate) struct Sum(Context);

impl Sum {
    pub(crate) fn new() -> Sum {
        Sum(Context::new(&SHA256))
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum so far in hexadecimal digits.
    pub(crate) fn digits(&self) -> String {
        let digest = self.0.clone().finish();
        digest
            .as_ref()
            .iter()
            .fold(String::new(), |mut text, byte| {
                // Writing to a string cannot fail.
                let _ = write!(text, "{byte:02x}");
                text
            })
    }
}

/// The checksum of a file in a list as `sha256sum` writes it, or in a Debian source description.
/// In both, a line holds the checksum and ends in the name.
pub(crate) fn find(list: &str, file: &str) -> Option<String> {
    list.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace().rev();
        let name = words
            .next()?
            .trim_start_matches('*')
            .trim_start_matches("./");
        let is_sum = |it: &&str| it.len() == 64 && it.bytes().all(|it| it.is_ascii_hexdigit());
        let sum = words.find(is_sum)?;
        (name == file).then(|| sum.to_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn the_checksum_of_nothing_is_known() {
        assert_eq!(Sum::new().digits(), EMPTY);
    }

    #[test]
    fn checksums_are_found_in_both_kinds_of_lists() {
        let other = "0".repeat(64);
        let plain = format!("{other}  b.zst\n{}  a.zst\n", EMPTY.to_uppercase());
        assert_eq!(find(&plain, "a.zst").as_deref(), Some(EMPTY));
        assert_eq!(
            find(&format!("{EMPTY} *./a.zst"), "a.zst").as_deref(),
            Some(EMPTY)
        );
        let debian = format!(
            "Checksums-Sha1:\n {} 12 a.zst\nChecksums-Sha256:\n {EMPTY} 12 a.zst\nFiles:\n {} 12 a.zst\n",
            "0".repeat(40),
            "0".repeat(32)
        );
        assert_eq!(find(&debian, "a.zst").as_deref(), Some(EMPTY));
        for list in ["", "\n", "a.zst", "<html>a.zst", &other] {
            assert_eq!(find(list, "a.zst"), None, "{list}");
        }
        assert_eq!(find(&plain, "c.zst"), None);
    }
}
