//! Code that the benchmarks share: CPU time, latencies, and dropping files from the page cache.

use std::{fmt, fs, path::Path, time::Duration};

/// The CPU time of all threads since the program started.
pub fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The latencies of many lookups.
pub struct Latencies(pub Vec<Duration>);

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort();
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
        write!(
            f,
            "median {:.1?}, 90 % {:.1?}, 99 % {:.1?}",
            at(0.5),
            at(0.9),
            at(0.99)
        )
    }
}

/// The size of all files in a directory; with `evict`, also drops them from the page cache.
pub fn bytes_in(directory: &Path, evict: bool) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            bytes += bytes_in(&path, evict)?;
            continue;
        }
        let file = fs::File::open(&path)?;
        bytes += file.metadata()?.len();
        if evict {
            file.sync_all()?;
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        }
    }
    Ok(bytes)
}
