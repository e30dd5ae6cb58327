//! Cases: what strong players did after an action, in positions like this one.
//!
//! After Hesham, Abu-Elnasr and Elmougy, "A new action-based reasoning approach
//! for playing chess" (2021). A *case* is the opponent's move (the action), the
//! position after it, the reply (the reaction), and the encoding of the
//! position. The library is a view of a collection: every segment knows for
//! each action where it was answered, by either color, and the games know the
//! rest. [`retrieve`] applies both of the paper's filters, and [`reactions`]
//! counts what the cases say.

mod action;
mod own;
mod posting;
mod reaction;
mod retrieve;

pub use action::{Action, Impossible};
pub use own::{has_own_games, own_losses};
pub(crate) use posting::{Cases, CasesBuilder};
pub use reaction::{LOSS, OWN_LOSS, Reaction, WIN, reactions};
pub use retrieve::{Case, Inquiry, at_hits, retrieve, retrieve_exhaustively};
