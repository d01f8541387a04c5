//! What this process has read from storage and written to it.

use std::fs;

/// What a process has read and written so far, threads that have ended and children that were waited for included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// Bytes that were really fetched from storage.
    pub read_bytes: u64,
    /// Bytes that were handed to storage; the kernel counts them when a page gets dirty, before it is written.
    pub write_bytes: u64,
}

/// What this process has read and written so far, by the kernel's account in `/proc/self/io`; `None` where there is none.
///
/// A child's figures are added to its parent's when the parent waits for it (`wait_task_zombie` in `kernel/exit.c`), so they
/// must not be added a second time.
#[must_use]
pub fn storage() -> Option<Storage> {
    in_account(&fs::read_to_string("/proc/self/io").ok()?)
}

fn in_account(account: &str) -> Option<Storage> {
    let value = |name: &str| account.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some(Storage { read_bytes: value("read_bytes:")?, write_bytes: value("write_bytes:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_of_the_kernel_is_read() {
        let account = "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\nwrite_bytes: 8192\n\
                       cancelled_write_bytes: 1\n";
        assert_eq!(in_account(account), Some(Storage { read_bytes: 4096, write_bytes: 8192 }));
    }

    #[test]
    fn an_account_that_is_not_there_is_unknown() {
        assert_eq!(in_account("rchar: 9\n"), None);
    }
}
