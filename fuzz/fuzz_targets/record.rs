//! Any bytes are a record or an error; a record gives its bytes, its hex and
//! its board back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::record::{Key, Record};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = text.parse::<Record>();
    }
    let Ok(record) = Record::from_bytes(data) else {
        return;
    };
    assert_eq!(record.to_bytes(), data);
    assert_eq!(record.to_string().parse(), Ok(record));
    let sorted = record.key().to_sorted_bytes();
    assert_eq!(Key::from_sorted_bytes(sorted), Ok(record.key()));
    let again = Record::of(&record.board()).expect("a record's board has 1 to 32 pieces");
    assert_eq!(again.board(), record.board());
    assert_eq!(again.value(), record.value());
});
