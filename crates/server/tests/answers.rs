//! Every model, way to listen and lock: the right answers, from the workers they name.

mod support;

use protocol::{HttpModel, Job, Listen, Lock, Reply, ServeJob};
use support::{Client, GET, MODELS, RESULTS, Server, job};

/// Whether a model has one acceptor, which leaves nobody to spread connections over.
fn has_one_acceptor(model: HttpModel) -> bool {
    !matches!(model, HttpModel::Loops | HttpModel::Processes)
}

fn listens(model: HttpModel) -> &'static [Listen] {
    if has_one_acceptor(model) { &[Listen::PerPort, Listen::Shared] } else { Listen::ALL }
}

fn check(job: ServeJob) {
    let what = format!("{} {} {}", job.model, job.listen, job.lock);
    let mut server = Server::start(job);
    let mut by_worker = vec![0; 2];
    for port in server.ports.clone() {
        let mut client = Client::connect(port);
        for number in 0..20 {
            let answer = client.get();
            assert_eq!((answer.status, answer.result()), (200, RESULTS[number % 8]), "{what}, request {number}");
            by_worker[answer.worker()] += 1;
        }
    }
    let served = server.served();
    assert_eq!(served.requests, by_worker, "{what}");
    assert_eq!(served.connections.iter().sum::<u64>(), server.ports.len() as u64, "{what}");
    assert_eq!(server.served().requests, [0, 0], "{what}: counted twice");
    assert!(server.stop().success(), "{what}");
}

fn check_model(model: HttpModel) {
    for &listen in listens(model) {
        for &lock in Lock::ALL {
            check(ServeJob { listen, lock, io_ns: 100_000, ..job(model) });
        }
    }
}

#[test]
fn loops_answer_however_they_listen_and_whatever_the_lock() {
    check_model(HttpModel::Loops);
}

#[test]
fn a_work_stealing_runtime_answers_whatever_the_lock() {
    check_model(HttpModel::WorkStealing);
}

#[test]
fn a_blocking_pool_answers_whatever_the_lock() {
    check_model(HttpModel::Offload);
}

#[test]
fn a_rayon_pool_answers_whatever_the_lock() {
    check_model(HttpModel::OffloadRayon);
}

#[test]
fn threads_answer_whatever_the_lock() {
    check_model(HttpModel::Threads);
}

#[test]
fn processes_answer_however_they_listen_and_whatever_the_lock() {
    check_model(HttpModel::Processes);
}

#[test]
fn each_worker_has_its_own_port() {
    for model in [HttpModel::Loops, HttpModel::Processes] {
        let server = Server::start(ServeJob { workers: 3, ..job(model) });
        let workers: Vec<_> = server.ports.iter().map(|&port| Client::connect(port).get().worker()).collect();
        assert_eq!(workers, [0, 1, 2], "{model}");
        let mut ports = server.ports.clone();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 3, "{model}");
    }
}

#[test]
fn hand_off_deals_64_connections_over_4_workers_exactly() {
    for model in [HttpModel::Loops, HttpModel::Processes] {
        let mut server = Server::start(ServeJob { workers: 4, listen: Listen::HandOff, ..job(model) });
        let mut clients: Vec<_> = (0..64).map(|_| server.connect()).collect();
        for client in &mut clients {
            client.get();
        }
        let served = server.served();
        assert_eq!((served.connections, served.requests), (vec![16; 4], vec![16; 4]), "{model}");
    }
}

#[test]
fn connections_that_the_kernel_spreads_are_all_served() {
    for model in [HttpModel::Loops, HttpModel::Processes] {
        for listen in [Listen::ReusePort, Listen::Shared] {
            let mut server = Server::start(ServeJob { workers: 4, listen, ..job(model) });
            assert_eq!(server.ports.len(), 1);
            let mut clients: Vec<_> = (0..64).map(|_| server.connect()).collect();
            for client in &mut clients {
                client.get();
            }
            let served = server.served();
            assert_eq!(served.requests.iter().sum::<u64>(), 64, "{model} {listen}");
            assert_eq!(served.connections, served.requests, "{model} {listen}");
        }
    }
}

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    for &model in MODELS {
        let server = Server::start(job(model));
        let mut client = server.connect();
        client.send(GET.repeat(40)).unwrap();
        for number in 0..40 {
            assert_eq!(client.receive().unwrap().result(), RESULTS[number % 8], "{model}, request {number}");
        }
    }
}

#[test]
fn the_usage_covers_child_processes() {
    for (model, processes) in [(HttpModel::Loops, 1), (HttpModel::Processes, 3)] {
        let mut server = Server::start(ServeJob { iterations: 20_000_000, ..job(model) });
        server.connect().get();
        let usage = server.served().usage.unwrap();
        assert_eq!(usage.processes, Some(processes), "{model}");
        assert!(usage.user_ns.unwrap() > 0, "{model}: {usage:?}");
        assert!(usage.peak_rss_bytes.unwrap() > 0, "{model}: {usage:?}");
    }
}

#[test]
fn one_acceptor_cannot_spread_connections() {
    for &model in MODELS.iter().filter(|&&model| has_one_acceptor(model)) {
        for listen in [Listen::ReusePort, Listen::HandOff] {
            let reply = Server::answer_to(Job::Serve(ServeJob { listen, ..job(model) }));
            let Reply::Unsupported { message } = reply else { panic!("{model} {listen}: {reply:?}") };
            assert!(message.contains("one acceptor") && message.contains("per-port or shared"), "{message}");
        }
    }
}

#[test]
fn impossible_numbers_of_workers_are_refused_by_name() {
    for (workers, expected) in [
        (0, "workers is 0: a server needs at least one"),
        (257, "workers is 257: at most 256 are possible, as two digits of each answer name the worker"),
    ] {
        let reply = Server::answer_to(Job::Serve(ServeJob { workers, ..job(HttpModel::Loops) }));
        assert_eq!(reply, Reply::Error { message: expected.to_owned() });
    }
}
