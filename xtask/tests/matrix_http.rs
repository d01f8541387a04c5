//! What an `[[http]]` scenario means: its cells, the server and the load of each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::{Arrivals, HttpModel, HttpRequest, Listen, Lock};
use xtask::matrix::plan::{
    CpuWork, HttpWork, LoadSpec, OwnServer, PaceSpec, Plan, Rate, Readiness, RunningServer, Scenario, ServerCommand,
    ServerSpec, StopSignal, Work,
};
use xtask::matrix::{LoadOptions, parse};

const FULL: LoadOptions = LoadOptions { quick: false, cores: 2, allow_remote: false };
const QUICK: LoadOptions = LoadOptions { quick: true, ..FULL };

const LOAD: &str = "load = { connections = 64, requests = 1000 }\n";
const OWN: &str = "model = \"loops\"\n";
const PUMA: &str =
    "server = { command = [\"puma\", \"-t{threads}:{threads}\", \"-w\", \"{processes}\", \"-p\", \"{port}\"] }\n";

fn plan(text: &str, options: LoadOptions) -> Result<Plan, String> {
    parse(Path::new("folder/test.toml"), text.to_owned(), &options).map_err(|report| report.to_string())
}

fn scenario_with(keys: &str, options: LoadOptions) -> Scenario {
    let text = format!("schema = 1\n[[http]]\nname = \"s\"\n{keys}\n");
    plan(&text, options).unwrap_or_else(|report| panic!("{report}")).scenarios.remove(0)
}

fn scenario(keys: &str) -> Scenario {
    scenario_with(keys, FULL)
}

fn ids(scenario: &Scenario) -> Vec<&str> {
    scenario.cells.iter().map(|cell| cell.id.as_str()).collect()
}

fn work(scenario: &Scenario, cell: usize) -> &HttpWork {
    let Work::Http(http) = &scenario.cells[cell].work else { panic!("cell {cell} is a batch") };
    http
}

fn own(scenario: &Scenario, cell: usize) -> &OwnServer {
    let ServerSpec::Own(own) = &work(scenario, cell).server else { panic!("cell {cell} is not ours") };
    own
}

fn command(scenario: &Scenario, cell: usize) -> &ServerCommand {
    let ServerSpec::Command(command) = &work(scenario, cell).server else { panic!("cell {cell} has no command") };
    command
}

fn running(scenario: &Scenario) -> &RunningServer {
    let ServerSpec::Running(running) = &work(scenario, 0).server else { panic!("the server is started") };
    running
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = scenario(&format!("{OWN}{LOAD}"));
    assert_eq!(ids(&scenario), ["s"]);
    let server = OwnServer {
        model: HttpModel::Loops,
        workers: 2,
        lock: Lock::None,
        switch_interval: None,
        listen: Listen::PerPort,
        io: Duration::ZERO,
        cpu: CpuWork::Time(Duration::ZERO),
    };
    let get = HttpRequest { method: "GET".into(), path: "/".into(), headers: vec![], body: None };
    let load = LoadSpec {
        connections: 64,
        threads: 1,
        pace: PaceSpec::Closed { requests: 1000 },
        requests: vec![get],
        timeout: Duration::from_secs(10),
        drain: Duration::from_secs(2),
        status: None,
        expect_body: None,
        worker_header: None,
    };
    assert_eq!(*work(&scenario, 0), HttpWork { server: ServerSpec::Own(server), load });
    assert_eq!(scenario.cells[0].runtime, "rust");
    assert!(!scenario.cells[0].work.needs_calibration(), "nothing is computed");
}

#[test]
fn scenarios_of_both_kinds_keep_the_order_of_the_file() {
    let batch = |name| {
        format!(
            "[[batch]]\nname = \"{name}\"\nmodel = \"async\"\ntasks = 1\ntask = {{ op = \"wait\", io = \"1ms\" }}\n"
        )
    };
    let http = |name| format!("[[http]]\nname = \"{name}\"\n{OWN}{LOAD}");
    let text = format!("schema = 1\n{}{}{}{}", http("a"), batch("b"), http("c"), batch("d"));
    let names: Vec<_> = plan(&text, FULL).unwrap().scenarios.into_iter().map(|scenario| scenario.name).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn two_scenarios_of_different_kinds_cannot_have_one_name() {
    let text = format!(
        "schema = 1\n[[http]]\nname = \"a\"\n{OWN}{LOAD}[[batch]]\nname = \"a\"\nmodel = \"async\"\ntasks = 1\n\
         task = {{ op = \"wait\", io = \"1ms\" }}\n"
    );
    assert!(plan(&text, FULL).unwrap_err().starts_with("error: two scenarios are called \"a\""));
}

#[test]
fn our_own_server_s_keys_are_axes() {
    let scenario = scenario(&format!("{OWN}{LOAD}workers = [1, \"cores\"]\ncpu = [\"0us\", \"585us\"]\nio = \"1ms\""));
    assert_eq!(
        ids(&scenario),
        ["s/workers=1,cpu=0us", "s/workers=1,cpu=585us", "s/workers=2,cpu=0us", "s/workers=2,cpu=585us"]
    );
    assert_eq!(own(&scenario, 3).cpu, CpuWork::Time(Duration::from_micros(585)));
    assert_eq!(own(&scenario, 3).io, Duration::from_millis(1));
    assert!(scenario.cells[1].work.needs_calibration());
}

#[test]
fn work_may_be_a_count() {
    let scenario = scenario(&format!("{OWN}{LOAD}iterations = [0, 20_000]"));
    assert_eq!(ids(&scenario), ["s/iterations=0", "s/iterations=20000"]);
    assert_eq!(own(&scenario, 1).cpu, CpuWork::Iterations(20_000));
}

#[test]
fn an_axis_collapses_where_the_model_ignores_it() {
    let scenario = scenario(&format!(
        "{LOAD}model = [\"loops\", \"work-stealing\", \"threads\"]\nworkers = [1, 4]\nlisten = [\"reuse-port\", \"shared\"]"
    ));
    assert_eq!(
        ids(&scenario),
        [
            "s/model=loops,workers=1,listen=reuse-port",
            "s/model=loops,workers=1,listen=shared",
            "s/model=loops,workers=4,listen=reuse-port",
            "s/model=loops,workers=4,listen=shared",
            "s/model=work-stealing,workers=1",
            "s/model=work-stealing,workers=4",
            "s/model=threads",
        ]
    );
    assert_eq!((own(&scenario, 6).workers, own(&scenario, 6).listen), (1, Listen::PerPort));
    assert_eq!((own(&scenario, 5).workers, own(&scenario, 5).listen), (4, Listen::PerPort));
}

#[test]
fn without_a_lock_there_is_no_switch_interval() {
    let keys = format!("{OWN}{LOAD}lock = [\"none\", \"gil\"]\nswitch_interval = [\"1ms\", \"5ms\"]");
    let scenario = scenario(&keys);
    assert_eq!(ids(&scenario), ["s/lock=none", "s/lock=gil,switch_interval=1ms", "s/lock=gil,switch_interval=5ms"]);
    assert_eq!(own(&scenario, 0).switch_interval, None);
    assert_eq!(own(&scenario, 2).switch_interval, Some(Duration::from_millis(5)));
}

#[test]
fn arrays_inside_a_load_are_axes() {
    let scenario = scenario(&format!(
        "{OWN}load = {{ connections = [8, 64], requests = [100, 200] }}\nworkers = [1, 2]\n\
         zip = [\"connections\", \"requests\"]\ncompare = \"workers\"\nexclude = [{{ connections = 8, workers = 2 }}]"
    ));
    assert_eq!(
        ids(&scenario),
        [
            "s/connections=8,requests=100,workers=1",
            "s/connections=64,requests=200,workers=1",
            "s/connections=64,requests=200,workers=2",
        ]
    );
    let load = &work(&scenario, 1).load;
    assert_eq!((load.connections, load.pace), (64, PaceSpec::Closed { requests: 200 }));
}

#[test]
fn a_rate_is_a_number_or_a_share() {
    let load = "load = { connections = 64, rate = [100, 12.5, \"80%\", \"120.5%\"], duration = \"2s\" }";
    let scenario = scenario(&format!("{OWN}{load}\ncompare = \"rate\"\nbaseline = \"80%\""));
    assert_eq!(ids(&scenario), ["s/rate=100", "s/rate=12.5", "s/rate=80%", "s/rate=120.5%"]);
    let rates = [Rate::PerSecond(100.0), Rate::PerSecond(12.5), Rate::OfCapacity(0.8), Rate::OfCapacity(1.205)];
    for (cell, rate) in rates.into_iter().enumerate() {
        let pace = PaceSpec::Open { rate, duration: Duration::from_secs(2), arrivals: Arrivals::Poisson };
        assert_eq!(work(&scenario, cell).load.pace, pace);
    }
    assert_eq!(scenario.comparisons[0].baseline, Some(2));
}

#[test]
fn loads_that_differ_in_more_than_a_number_have_labels() {
    let scenario = scenario(&format!(
        "{OWN}load = [{{ connections = 64, requests = 500 }}, {{ label = \"post\", connections = 4, rate = 10, duration = \"1s\", \
         arrivals = \"constant\", path = [\"/a\", \"/b\"], body = \"x\", headers = {{ Accept = \"text/html\" }}, threads = 2, \
         timeout = \"1s\", drain = \"5s\" }}]\ncompare = \"load\"\nbaseline = \"post\""
    ));
    assert_eq!(ids(&scenario), ["s/load=closed", "s/load=post"]);
    let post = |path: &str| HttpRequest {
        method: "POST".into(),
        path: path.into(),
        headers: vec![("Accept".into(), "text/html".into())],
        body: Some("x".into()),
    };
    let load = &work(&scenario, 1).load;
    assert_eq!(load.requests, [post("/a"), post("/b")]);
    assert_eq!((load.threads, load.timeout, load.drain), (2, Duration::from_secs(1), Duration::from_secs(5)));
    let rate = Rate::PerSecond(10.0);
    let pace = PaceSpec::Open { rate, duration: Duration::from_secs(1), arrivals: Arrivals::Constant };
    assert_eq!(load.pace, pace);
}

#[test]
fn vars_are_axes_whose_values_stand_in_the_command() {
    let scenario =
        scenario(&format!("{LOAD}{PUMA}vars = {{ threads = [1, 16], processes = [1, 2] }}\ncompare = \"processes\""));
    assert_eq!(
        ids(&scenario),
        ["s/threads=1,processes=1", "s/threads=1,processes=2", "s/threads=16,processes=1", "s/threads=16,processes=2"]
    );
    assert_eq!(command(&scenario, 3).command, ["puma", "-t16:16", "-w", "2", "-p", "{port}"]);
    assert_eq!(scenario.comparisons.len(), 2);
    assert_eq!(scenario.comparisons[0].baseline, Some(0));
}

#[test]
fn a_server_has_everything_that_its_table_says() {
    let scenario = scenario(&format!(
        "{LOAD}server = {{ command = [\"sh\", \"-c\", \"exec x ${{HOME}} {{ports}} {{n}}\"], env = {{ N = \"{{n}}\" }}, \
         cwd = \"apps\", ports = 2, ready = \"/health\", ready_timeout = \"30s\", stop = \"QUIT\" }}\nvars = {{ n = \"four\" }}"
    ));
    let folder = std::env::current_dir().unwrap().join("folder/apps");
    let expected = ServerCommand {
        command: ["sh", "-c", "exec x ${HOME} {ports} four"].map(String::from).to_vec(),
        env: vec![("N".into(), "four".into())],
        cwd: Some(folder),
        ports: 2,
        ready: Readiness::Http("/health".into()),
        ready_timeout: Duration::from_secs(30),
        stop: StopSignal::Quit,
    };
    assert_eq!(ids(&scenario), ["s"]);
    assert_eq!(*command(&scenario, 0), expected);
}

#[test]
fn several_servers_are_an_axis_and_a_var_that_one_does_not_use_collapses() {
    let scenario = scenario(&format!(
        "{LOAD}server = [{{ command = [\"/usr/bin/puma\", \"{{port}}\", \"{{n}}\"] }}, \
         {{ label = \"other\", command = [\"x\", \"{{port}}\"], ready = \"tcp\" }}]\nvars = {{ n = [1, 2] }}\ncompare = \"server\""
    ));
    assert_eq!(ids(&scenario), ["s/server=puma,n=1", "s/server=puma,n=2", "s/server=other"]);
    assert_eq!(command(&scenario, 2).ready, Readiness::Tcp);
    assert_eq!(scenario.comparisons.len(), 2);
}

#[test]
fn a_target_is_looked_up() {
    let load =
        "load = { connections = 1, requests = 1, status = 204, expect_body = \"\", worker_header = \"X-Worker\" }";
    let at = |target: &str| scenario(&format!("{load}\ntarget = \"{target}\""));
    let loopback = at("http://127.0.0.1:8080/");
    let server = RunningServer { target: "http://127.0.0.1:8080".into(), address: "127.0.0.1:8080".parse().unwrap() };
    assert_eq!(*running(&loopback), server);
    let checks = &work(&loopback, 0).load;
    assert_eq!((checks.status, checks.expect_body.as_deref()), (Some(204), Some("")));
    assert_eq!(checks.worker_header.as_deref(), Some("X-Worker"));
    assert!(running(&at("http://localhost:8080")).address.ip().is_loopback());
    assert_eq!(running(&at("http://[::1]:80")).address, "[::1]:80".parse().unwrap());
}

#[test]
fn another_machine_must_be_allowed() {
    let text = format!("schema = 1\n[[http]]\nname = \"s\"\n{LOAD}target = \"http://192.0.2.7:80\"\n");
    assert!(plan(&text, FULL).unwrap_err().contains("--allow-remote"));
    let allowed = plan(&text, LoadOptions { allow_remote: true, ..FULL }).unwrap();
    assert_eq!(running(&allowed.scenarios[0]).address, "192.0.2.7:80".parse().unwrap());
}

#[test]
fn quick_replaces_load_and_vars_as_a_whole() {
    let keys = format!(
        "{LOAD}{PUMA}vars = {{ threads = [1, 4, 16], processes = [1, 2] }}\n\
         quick = {{ load = {{ connections = 4, requests = [10, 20] }}, vars = {{ threads = 1, processes = [2] }} }}"
    );
    assert_eq!(ids(&scenario(&keys)).len(), 6);
    let quick = scenario_with(&keys, QUICK);
    assert_eq!(ids(&quick), ["s/requests=10,processes=2", "s/requests=20,processes=2"]);
    assert_eq!((quick.schedule.warmups, quick.schedule.runs), (1, 3));
    assert_eq!(work(&quick, 0).load.connections, 4);
    assert_eq!(command(&quick, 0).command[1], "-t1:1");
}

#[test]
fn the_working_folder_is_left_to_the_engine_where_none_is_given() {
    let scenario = scenario(&format!("{LOAD}server = {{ command = [\"x\", \"{{port}}\"] }}"));
    assert_eq!(command(&scenario, 0).cwd, None::<PathBuf>);
}
