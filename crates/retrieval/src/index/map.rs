//! A file mapped into memory that survives being cut.
//!
//! To read beyond the end of a mapped file sends SIGBUS, which ends the program. So all maps are
//! listed, and a handler of the signal puts zeros in place of what is missing of a listed map. The map
//! remembers it, and whoever reads asks [`Map::is_cut`] before an answer is given.

use std::{fs::File, io, ops::Deref};

use memmap2::Mmap;

/// A mapped file.
#[derive(Debug)]
pub(super) struct Map {
    bytes: Mmap,
    #[cfg(unix)]
    entry: &'static list::Entry,
}

impl Map {
    /// Maps a file.
    #[expect(unsafe_code, reason = "memory maps are unsafe by nature")]
    pub(super) fn new(file: &File) -> io::Result<Map> {
        // SAFETY: segments are immutable once they have their name, and only a writer that holds
        // the collection's lock removes them (removed files stay mapped). Bytes that somebody cuts
        // off by hand read as zeros.
        let bytes = unsafe { Mmap::map(file) }?;
        Ok(Map {
            #[cfg(unix)]
            entry: list::add(bytes.as_ptr_range()),
            bytes,
        })
    }

    /// Whether bytes were read that the file no longer had.
    pub(super) fn is_cut(&self) -> bool {
        #[cfg(unix)]
        return self.entry.is_cut();
        #[cfg(not(unix))]
        false
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(unix)]
impl Drop for Map {
    fn drop(&mut self) {
        // Before the memory is given back: it may then be somebody else's.
        self.entry.free();
    }
}

#[cfg(unix)]
mod list {
    //! The list of maps, in which a signal handler may look: entries never move, are never taken
    //! out, and hold atomic numbers only.

    use std::{
        mem,
        ops::Range,
        ptr,
        sync::{
            Mutex, Once, OnceLock, PoisonError,
            atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
        },
    };

    use libc::{c_int, c_void, sigaction, siginfo_t};

    /// A place for one map; free if it ends at zero.
    #[derive(Debug)]
    pub(super) struct Entry {
        start: AtomicUsize,
        end: AtomicUsize,
        is_cut: AtomicBool,
        next: Option<&'static Entry>,
    }

    impl Entry {
        pub(super) fn is_cut(&self) -> bool {
            self.is_cut.load(Ordering::Acquire)
        }

        pub(super) fn free(&self) {
            self.end.store(0, Ordering::Release);
        }

        fn fill(&self, range: &Range<*const u8>) {
            self.is_cut.store(false, Ordering::Relaxed);
            self.start.store(range.start as usize, Ordering::Relaxed);
            self.end.store(range.end as usize, Ordering::Release);
        }
    }

    static FIRST: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

    #[expect(unsafe_code, reason = "a signal handler sees only what is static")]
    fn entries() -> impl Iterator<Item = &'static Entry> {
        // SAFETY: the pointer is null or that of a leaked entry, whose `next` never changes.
        let first = unsafe { FIRST.load(Ordering::Acquire).as_ref() };
        std::iter::successors(first, |it| it.next)
    }

    /// Lists a map. Its entry is a free one, or a new one that is never given back: there are as
    /// many as maps at one time.
    pub(super) fn add(range: Range<*const u8>) -> &'static Entry {
        static ADDING: Mutex<()> = Mutex::new(());
        static HANDLER: Once = Once::new();
        HANDLER.call_once(install);
        let _adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = |it: &&Entry| it.end.load(Ordering::Acquire) == 0;
        let entry = entries().find(is_free).unwrap_or_else(|| {
            let entry: &'static mut Entry = Box::leak(Box::new(Entry {
                start: AtomicUsize::new(0),
                end: AtomicUsize::new(0),
                is_cut: AtomicBool::new(false),
                next: entries().next(),
            }));
            FIRST.store(entry, Ordering::Release);
            entry
        });
        entry.fill(&range);
        entry
    }

    /// What handled the signal before.
    static BEFORE: OnceLock<sigaction> = OnceLock::new();

    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    #[expect(unsafe_code, reason = "signal handlers are unsafe by nature")]
    fn install() {
        // SAFETY: plain system calls with memory of our own; all-zero bytes are a `sigaction`. The
        // handler does only what a handler may: it loads atomic numbers and maps memory.
        unsafe {
            if let Ok(size) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                PAGE.store(size, Ordering::Relaxed);
            }
            let mut before: sigaction = mem::zeroed();
            libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before);
            // Before the handler can run.
            let _ = BEFORE.set(before);
            let mut ours: sigaction = mem::zeroed();
            let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
            ours.sa_sigaction = handler as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGBUS, &raw const ours, ptr::null_mut());
        }
    }

    /// Puts zeros in place of the missing bytes of a map. Any other error goes to the handler that
    /// was there before: the instruction runs again and fails again.
    #[expect(unsafe_code, reason = "signal handlers are unsafe by nature")]
    extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: the system calls this with the information that SA_SIGINFO promises.
        let address = unsafe { (*info).si_addr() } as usize;
        if !zero(address) {
            // SAFETY: a plain system call; the action is one that the system gave us.
            unsafe {
                let default = mem::zeroed();
                let before = BEFORE.get().unwrap_or(&default);
                libc::sigaction(signal, before, ptr::null_mut());
            }
        }
    }

    /// Maps zeros from the page of an address to the end of the map that has it.
    #[expect(unsafe_code, reason = "memory maps are unsafe by nature")]
    fn zero(address: usize) -> bool {
        let has = |it: &&Entry| {
            let end = it.end.load(Ordering::Acquire);
            address < end && address >= it.start.load(Ordering::Relaxed)
        };
        let Some(entry) = entries().find(has) else {
            return false;
        };
        entry.is_cut.store(true, Ordering::Release);
        let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
        let length = entry.end.load(Ordering::Acquire).saturating_sub(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: the pages belong to a map that is in use, since somebody reads it, and the file
        // has no bytes for them. They stay readable, and are given back with the map.
        let mapped =
            unsafe { libc::mmap(page as *mut c_void, length, libc::PROT_READ, flags, -1, 0) };
        mapped != libc::MAP_FAILED
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_cut_off_reads_as_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for round in 0..3 {
            fs::write(&path, [7; 50_000]).unwrap();
            let map = Map::new(&File::open(&path).unwrap()).unwrap();
            let whole = Map::new(&File::open(&path).unwrap()).unwrap();
            assert!(map.iter().all(|&it| it == 7) && !map.is_cut());
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(10_000).unwrap();
            assert!(!map.is_cut(), "round {round}: nothing was read yet");
            assert_eq!((map[9_999], map[49_999], map[30_000]), (7, 0, 0));
            assert!(map.is_cut() && !whole.is_cut());
        }
    }
}
