//! Values with names, in options, in JSON and on the command line.

/// No value has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what}; choose one of {}", known.join(", "))]
pub struct UnknownName {
    /// What the name was to be of.
    pub what: &'static str,
    /// The names that exist.
    pub known: &'static [&'static str],
}

/// Declares an enum whose values have names, with `ALL`, `NAMES`, `name`, `Display` and `FromStr`.
///
/// ```
/// tabiya_chess::named! {
///     /// A side of the board.
///     pub enum Wing: "wing" {
///         /// Files a to d.
///         Queen = "queen-side",
///         /// Files e to h.
///         King = "king-side",
///     }
/// }
/// assert_eq!("king-side".parse(), Ok(Wing::King));
/// let error = "left".parse::<Wing>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown wing; choose one of queen-side, king-side");
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $type:ident: $what:literal {
            $($(#[$doc:meta])* $value:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $($(#[$doc])* $value,)*
        }

        impl $type {
            /// All values, in order.
            pub const ALL: [$type; [$($name),*].len()] = [$($type::$value),*];

            /// Their names.
            pub const NAMES: [&'static str; $type::ALL.len()] = [$($name),*];

            /// The name.
            pub const fn name(self) -> &'static str {
                $type::NAMES[self as usize]
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::named::UnknownName;

            fn from_str(name: &str) -> Result<$type, $crate::named::UnknownName> {
                let (what, known) = ($what, &$type::NAMES);
                let found = $type::ALL.into_iter().find(|it| it.name() == name);
                found.ok_or($crate::named::UnknownName { what, known })
            }
        }
    };
}
