//! The digest of an object's bytes, which is also its name.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// An XXH3-128 digest, written as 32 hexadecimal digits. At this length, accidental
/// collisions are practically impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(u128);

impl Digest {
    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(xxh3_128(bytes))
    }

    /// The digest of the bytes fed to a hasher.
    pub(crate) fn of_hash(hash: &Xxh3) -> Digest {
        Digest(hash.digest128())
    }

    /// The digest as a number.
    pub fn to_bits(self) -> u128 {
        self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Digest {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Digest, &'static str> {
        let is_hex = text.len() == 32 && text.bytes().all(|it| it.is_ascii_hexdigit());
        let bits = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        bits.map(Digest).ok_or("a digest has 32 hexadecimal digits")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_as_they_are_written() {
        // The value for no bytes, from the documentation of XXH3.
        let empty = Digest::of(b"");
        assert_eq!(empty.to_string(), "99aa06d3014798d86001c324468d497f");
        assert_eq!(empty.to_string().parse(), Ok(empty));
        for wrong in [
            "",
            "99",
            "+9aa06d3014798d86001c324468d497f",
            "99aa06d3014798d86001c324468d497fa",
        ] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
        assert!(
            "99aa06d3014798d86001c324468d497é"
                .parse::<Digest>()
                .is_err()
        );
    }
}
