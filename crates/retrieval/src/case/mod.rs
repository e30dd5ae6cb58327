//! Cases: what strong players did after an action, in positions like this one.
//!
//! After Hesham, Abu-Elnasr and Elmougy, "A new action-based reasoning approach
//! for playing chess" (2021). A *case* is the opponent's move (the action), the
//! position after it, the reply (the reaction), and the encoding of the
//! position. The library is a view of a collection: every segment knows for
//! each action where it was answered, by either color, and the games know the
//! rest. [`retrieve`] applies both of the paper's filters, and [`reactions`]
//! counts what the cases say.

mod own;
mod reaction;
mod retrieve;

pub use own::{has_own_games, own_losses};
pub use reaction::{LOSS, OWN_LOSS, Reaction, WIN, reactions};
pub use retrieve::{Case, Inquiry, at_hits, retrieve, retrieve_exhaustively};
pub use tabiya_chess::action::{Action, Impossible};
