//! Where the control groups tell how long we were throttled.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::counters::{read, throttled_ns};

/// The `cpu.stat` of our control group, in either version, if it tells about throttling.
pub(super) fn find() -> Option<File> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    candidates(&groups).into_iter().find_map(|path| {
        let file = File::open(path).ok()?;
        read(&file).as_deref().and_then(throttled_ns).is_some().then_some(file)
    })
}

/// Where `cpu.stat` may be, for this text of `/proc/self/cgroup`, the best first. In a container the path may be the
/// host's, of which only the mount's root is visible: hence the second try of each.
fn candidates(groups: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let mounts: &[&str] = if controllers.is_empty() {
            &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        } else if controllers.split(',').any(|name| name == "cpu") {
            &["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"]
        } else {
            continue;
        };
        for mount in mounts {
            let mount = Path::new(mount);
            paths.push(mount.join(path.trim_start_matches('/')).join("cpu.stat"));
            if path != "/" {
                paths.push(mount.join("cpu.stat"));
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_group_is_looked_for_where_either_version_mounts_it() {
        let paths = candidates("4:memory:/a\n1:cpu,cpuacct:/\n0::/user.slice\n");
        let paths: Vec<_> = paths.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(
            paths,
            [
                "/sys/fs/cgroup/cpu/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
                "/sys/fs/cgroup/user.slice/cpu.stat",
                "/sys/fs/cgroup/cpu.stat",
                "/sys/fs/cgroup/unified/user.slice/cpu.stat",
                "/sys/fs/cgroup/unified/cpu.stat",
            ]
        );
    }
}
