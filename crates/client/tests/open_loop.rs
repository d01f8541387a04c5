//! An open loop sends by the clock. Nothing here asserts how fast the machine is.

mod support;

use std::thread;
use std::time::Duration;

use protocol::{Arrivals, LoadJob, Pace};
use support::{MS, Server, answer, burnt, each_request, job, run};

fn open(mut job: LoadJob, rate_per_s: f64, arrivals: Arrivals) -> LoadJob {
    job.pace = Pace::Open { rate_per_s, duration_ns: 500 * MS, arrivals, seed: 11 };
    job
}

#[test]
fn a_server_that_keeps_up_gets_the_whole_schedule() {
    let server = Server::start(|_, stream| each_request(stream, |k| Some(answer("200 OK", &burnt(0, 3, k)))));
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let mut job = open(job(server.address, 0), 400.0, arrivals);
        job.threads = 2;
        job.expect = protocol::Expect::Burn { workers: 1, iterations: 3 };
        let sample = run(&job);
        assert_eq!((sample.errors.len(), sample.unsent, sample.stragglers), (0, 0, 0));
        match arrivals {
            Arrivals::Constant => assert_eq!(sample.completed, 200),
            // Fixed by the seed; seven standard deviations around 200.
            Arrivals::Poisson => assert!((100..300).contains(&sample.completed), "{}", sample.completed),
        }
        assert!(sample.send_lag.count > 0);
        assert!(sample.elapsed_ns >= 400 * MS, "{}", sample.elapsed_ns);
    }
}

#[test]
fn time_in_the_queue_counts_as_latency_but_not_as_service_time_or_send_lag() {
    // One connection, 10 ms a request: 100 a second, of the 200 that are due.
    let server = Server::start(|_, stream| {
        each_request(stream, |_| {
            thread::sleep(Duration::from_millis(10));
            Some(answer("200 OK", "ok"))
        });
    });
    let mut job = open(job(server.address, 0), 200.0, Arrivals::Constant);
    job.connections = 1;
    job.drain_ns = 10_000 * MS;
    let sample = run(&job);
    assert_eq!((sample.completed, sample.unsent, sample.errors.len()), (100, 0, 0));
    assert!(sample.sent_late >= 45, "{}: half of them were still waiting", sample.sent_late);
    assert!(sample.latency.max_ns >= 450 * MS, "the last one waited for half of the others");
    assert!(sample.elapsed_ns >= 1_000 * MS);
    assert_eq!(sample.max_in_flight, 1);
    // The first found a free connection; all others waited.
    assert!(sample.send_lag.count < 50, "{}", sample.send_lag.count);
}

#[test]
fn what_had_no_connection_before_the_end_is_unsent() {
    let server = Server::start(|_, stream| {
        each_request(stream, |_| {
            thread::sleep(Duration::from_millis(50));
            Some(answer("200 OK", "ok"))
        });
    });
    let mut job = open(job(server.address, 0), 1000.0, Arrivals::Constant);
    job.connections = 2;
    job.drain_ns = 200 * MS;
    let sample = run(&job);
    assert_eq!(sample.sent + sample.unsent, 500);
    assert!(sample.unsent > 400, "{}", sample.unsent);
    assert_eq!(sample.errors.len(), 0);
    assert!(sample.stragglers <= 2);
}
