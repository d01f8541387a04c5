//! Settings of an `[[http]]` cell.

use protocol::HttpRequest;

use super::{Settings, cpu, duration};
use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{HttpWork, LoadSpec, PaceSpec, Rate, ServerSpec};

pub(super) fn settings(work: &HttpWork) -> Settings {
    let mut settings = Settings::new();
    let mut set = |key: &str, value: AxisValue| drop(settings.insert(key.to_owned(), Some(value)));
    match &work.server {
        ServerSpec::Own(server) => {
            set("model", server.model.name().into());
            set("workers", u64::from(server.workers).into());
            set("lock", server.lock.name().into());
            set("listen", server.listen.name().into());
            set("io", duration(server.io));
            let (key, value) = cpu(server.cpu);
            set(key, value);
            if let Some(interval) = server.switch_interval {
                set("switch_interval", duration(interval));
            }
        }
        ServerSpec::Command(server) => set("server", server.command.join(" ").as_str().into()),
        ServerSpec::Running(server) => set("target", server.target.as_str().into()),
    }
    let LoadSpec { connections, threads, pace, requests, .. } = &work.load;
    set("connections", u64::from(*connections).into());
    // One is what everybody expects.
    if *threads > 1 {
        set("threads", u64::from(*threads).into());
    }
    match pace {
        PaceSpec::Closed { requests } => set("requests", (*requests).into()),
        PaceSpec::Open { rate, duration: time, arrivals } => {
            set("rate", self::rate(*rate));
            set("duration", duration(*time));
            set("arrivals", arrivals.name().into());
        }
    }
    if let Some(asked) = asked(requests) {
        set("path", asked.as_str().into());
    }
    settings
}

/// A rate as the matrix states it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a whole number that fits")]
fn rate(rate: Rate) -> AxisValue {
    match rate {
        Rate::PerSecond(rate) if rate.fract() == 0.0 && (0.0..9e15).contains(&rate) => (rate as u64).into(),
        Rate::PerSecond(rate) => AxisValue::Text(rate.to_string()),
        // Rounded, because 0.95 × 100 is 94.99….
        Rate::OfCapacity(share) => AxisValue::Text(format!("{}%", (share * 1e8).round() / 1e6)),
    }
}

/// What is asked for, where it is not simply `/`.
fn asked(requests: &[HttpRequest]) -> Option<String> {
    match requests {
        [] => None,
        [only] if only.method == "GET" && only.path == "/" => None,
        [only] if only.method == "GET" => Some(only.path.clone()),
        [only] => Some(format!("{} {}", only.method, only.path)),
        several => Some(format!("{} different requests in turn", several.len())),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use protocol::Arrivals;

    use super::*;
    use crate::matrix::plan::{Readiness, ServerCommand, StopSignal};
    use crate::stats::fixtures::http_work;

    fn shown(work: &HttpWork) -> Vec<String> {
        settings(work).into_iter().filter_map(|(key, value)| Some(format!("{key}={}", value?))).collect()
    }

    #[test]
    fn a_server_of_ours_tells_how_it_works_and_what_is_asked_of_it() {
        assert_eq!(
            shown(&http_work()),
            [
                "connections=64",
                "cpu=2400us",
                "io=1ms",
                "listen=per-port",
                "lock=none",
                "model=loops",
                "requests=1000",
                "workers=4"
            ]
        );
    }

    #[test]
    fn a_server_that_the_matrix_brings_along_is_its_command() {
        let mut work = http_work();
        work.server = ServerSpec::Command(ServerCommand {
            command: ["puma", "-t", "4", "-p", "{port}"].map(str::to_owned).to_vec(),
            env: Vec::new(),
            cwd: Some(PathBuf::from("/srv")),
            ports: 1,
            ready: Readiness::Tcp,
            ready_timeout: Duration::from_secs(10),
            stop: StopSignal::Term,
        });
        work.load.requests[0].path = "/items".to_owned();
        work.load.threads = 2;
        assert_eq!(
            shown(&work),
            ["connections=64", "path=/items", "requests=1000", "server=puma -t 4 -p {port}", "threads=2"]
        );
    }

    #[test]
    fn an_open_loop_tells_its_rate_as_the_matrix_does() {
        let open = |rate| {
            let mut work = http_work();
            work.load.pace = PaceSpec::Open { rate, duration: Duration::from_secs(5), arrivals: Arrivals::Poisson };
            settings(&work)
        };
        let shown = |rate| open(rate)["rate"].as_ref().unwrap().to_string();
        assert_eq!(shown(Rate::PerSecond(5_000.0)), "5000");
        assert_eq!(shown(Rate::PerSecond(0.5)), "0.5");
        assert_eq!(shown(Rate::OfCapacity(0.95)), "95%");
        let all = open(Rate::PerSecond(1.0));
        assert_eq!((&all["duration"], &all["arrivals"]), (&Some("5s".into()), &Some("poisson".into())));
    }
}
