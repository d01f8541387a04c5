//! Which file system a folder is on.

use std::{io, path::Path};

/// The type of the file system, such as `ext4`; its number in hexadecimal if it has no name here.
///
/// The numbers are those of `linux/magic.h`; btrfs, xfs and others have theirs in the same place.
#[cfg(target_os = "linux")]
pub fn name(folder: &Path) -> io::Result<String> {
    let magic = nix::sys::statfs::statfs(folder)?.filesystem_type().0 as u32;
    Ok(match magic {
        0x0000_ef53 => "ext4".to_owned(), // ext2 and ext3 have the same number
        0x5846_5342 => "xfs".to_owned(),
        0x9123_683e => "btrfs".to_owned(),
        0x2fc1_2fc1 => "zfs".to_owned(),
        0xf2f5_2010 => "f2fs".to_owned(),
        0x0102_1994 => "tmpfs".to_owned(),
        0x794c_7630 => "overlay".to_owned(),
        0x0000_6969 => "nfs".to_owned(),
        0xff53_4d42 | 0xfe53_4d42 => "cifs".to_owned(),
        0x0102_1997 => "9p".to_owned(),
        0x6573_5546 => "fuse".to_owned(), // virtiofs too
        other => format!("{other:#x}"),
    })
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub fn name(_folder: &Path) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_known_by_its_name() {
        // procfs has no name here, and every Linux has one.
        assert_eq!(name(Path::new("/proc")).unwrap(), "0x9fa0");
        assert!(name(Path::new("/no/such/folder")).is_err());
    }
}
