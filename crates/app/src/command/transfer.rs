//! A transfer to or from object storage with a progress bar.

use std::{sync::Arc, time::Instant};

use indicatif::DecimalBytes;
use tabiya_depot::{DepotError, Transfer};
use tabiya_terminal::progress::{Bar, on_interrupt};

/// Runs a transfer of `bytes` bytes under a progress bar; Ctrl-C cancels it.
pub(crate) fn following<T>(
    bytes: u64,
    work: impl FnOnce(&Transfer) -> Result<T, DepotError>,
) -> Result<T, DepotError> {
    let transfer = Arc::new(Transfer::default());
    on_interrupt({
        let transfer = transfer.clone();
        move || transfer.cancel()
    });
    let (seen, begin) = (transfer.clone(), Instant::now());
    let _bar = Bar::start(Some(bytes), move || {
        let seconds = begin.elapsed().as_secs_f64().max(0.001);
        let rate = DecimalBytes((seen.moved() as f64 / seconds) as u64);
        let message = format!(
            "{} of {}, {rate}/s",
            DecimalBytes(seen.done()),
            DecimalBytes(bytes)
        );
        (seen.done(), message)
    });
    work(&transfer)
}
