//! The load generator and the server beside their peers, in turns on one machine.
//!
//! ```text
//! cargo build --release -p server
//! cargo bench -p client --bench peers [-- ROUNDS]
//! ```
//!
//! What is on the PATH takes part: `wrk` and `oha` beside our client, `nginx` (one worker) beside our server (one event
//! loop, no wait, no work). All on 127.0.0.1, 64 connections, one thread. CPU time is that of the whole process, by the
//! kernel's account of it when it has ended.
#![allow(clippy::print_stdout)]

mod generators;
mod servers;

use std::env;

use generators::{Generator, Load};
use servers::Server;

fn main() -> anyhow::Result<()> {
    let rounds = env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(9);
    for server in [Server::ours()?, Server::nginx()?].into_iter().flatten() {
        let generators: Vec<Generator> = Generator::ALL.into_iter().filter(|it| it.is_there()).collect();
        let mut loads: Vec<Vec<Load>> = vec![Vec::new(); generators.len()];
        // The first round warms up.
        for round in 0..=rounds {
            for turn in 0..generators.len() {
                // In another order each round.
                let at = (turn + round) % generators.len();
                let load = generators[at].run(server.port)?;
                if round > 0 {
                    loads[at].push(load);
                }
            }
        }
        println!("against {}, 64 connections, medians of {rounds} rounds in turns", server.name);
        println!(
            "{:<8}{:>12}{:>18}{:>22}{:>22}",
            "", "requests/s", "CPU us/request", "our requests/s over", "our CPU time over"
        );
        let median = |loads: &[Load], of: fn(&Load) -> f64| median(loads.iter().map(of).collect());
        let (ours, ours_cpu) = (median(&loads[0], |it| it.per_s), median(&loads[0], |it| it.cpu_us));
        for (generator, loads) in generators.iter().zip(&loads) {
            let (per_s, cpu_us) = (median(loads, |it| it.per_s), median(loads, |it| it.cpu_us));
            println!(
                "{:<8}{per_s:>12.0}{cpu_us:>18.2}{:>22.3}{:>22.3}",
                generator.name(),
                ours / per_s,
                ours_cpu / cpu_us
            );
        }
        println!();
    }
    servers_beside_each_other(rounds)
}

/// Requests a second that wrk draws from each server, in turns.
fn servers_beside_each_other(rounds: usize) -> anyhow::Result<()> {
    let (Some(ours), Some(nginx)) = (Server::ours()?, Server::nginx()?) else { return Ok(()) };
    if !Generator::Wrk.is_there() {
        return Ok(());
    }
    let mut per_s = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        for turn in 0..2 {
            let at = (turn + round) % 2;
            let load = Generator::Wrk.run([&ours, &nginx][at].port)?;
            if round > 0 {
                per_s[at].push(load.per_s);
            }
        }
    }
    let [ours, nginx] = per_s.map(median);
    println!("requests/s under wrk, medians of {rounds} rounds in turns");
    println!("our server, 1 loop {ours:.0}, nginx, 1 worker {nginx:.0}: ratio {:.3}", ours / nginx);
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
