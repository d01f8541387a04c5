//! The client as a whole: its threads, the barrier before the start, and one sample for all of them.

use std::sync::{Arc, OnceLock};

use anyhow::Result;
use protocol::{LoadJob, LoadSample, Pace};
use worker::start_together;

use crate::lane::Lane;
use crate::limits::allow_connections;
use crate::plan::Plan;
use crate::schedule::{Schedule, Share};
use crate::scheduling::be_prompt;
use crate::source::Source;
use crate::system::now_ns;
use crate::tally::{Tally, merge};

/// From the barrier to the start of an open loop's schedule, so that no thread comes late to its first request.
const LEAD_NS: u64 = 1_000_000;

/// A load generator with a job. Its connections stay open from one run to the next.
pub struct Client {
    plan: Arc<Plan>,
    lanes: Vec<Lane>,
}

impl Client {
    /// Looks at a job and prepares everything but the connections.
    ///
    /// # Errors
    /// The job cannot be done as it is, or not under this process's limits. The message says what to do.
    pub fn new(job: &LoadJob) -> Result<Self> {
        let plan = Arc::new(Plan::new(job)?);
        allow_connections(job.connections, job.threads)?;
        let lanes = (0..plan.threads).map(|thread| Lane::new(&plan, thread)).collect::<Result<_>>()?;
        Ok(Self { plan, lanes })
    }

    /// Opens what is not open, sends all requests, awaits the answers, and says what came of them. The sample is
    /// without `usage`, which is the process's.
    ///
    /// # Errors
    /// The kernel refused something that it does not refuse. Whatever a server does is counted, not an error.
    pub fn run(&mut self) -> Result<LoadSample> {
        let began_ns = now_ns();
        let plan = &*self.plan;
        let start = OnceLock::new();
        let tallies = if let [lane] = &mut self.lanes[..] {
            // On this thread: in a process with only one, the kernel need not count references to descriptors.
            vec![run_lane(open(lane, plan)?, plan, &start)?]
        } else {
            start_together(self.lanes.iter_mut(), |lane| open(lane, plan), |lane| run_lane(lane, plan, &start))?.1
        };

        let start_ns = *start.get().expect("every thread has looked at it");
        let first_due_ns = schedule(plan).map_or(0, |mut schedule| schedule.next().unwrap_or(0));
        let ended_ns = tallies.iter().map(|tally| tally.ended_at_ns).max().unwrap_or(start_ns);
        let mut sample = merge(&tallies);
        sample.setup_ns = start_ns.saturating_sub(began_ns);
        sample.elapsed_ns = ended_ns.saturating_sub(start_ns + first_due_ns);
        if let Pace::Closed { requests } = plan.pace {
            sample.unsent = requests - sample.sent;
        }
        Ok(sample)
    }
}

/// Opens the connections of a lane, on the thread that it will run on.
fn open<'a>(lane: &'a mut Lane, plan: &Plan) -> Result<&'a mut Lane> {
    if matches!(plan.pace, Pace::Open { .. }) {
        be_prompt();
    }
    lane.open()?;
    Ok(lane)
}

/// Runs a lane. Whichever thread is first says when all `start`.
fn run_lane(lane: &mut Lane, plan: &Plan, start: &OnceLock<u64>) -> Result<Tally> {
    let lead_ns = if matches!(plan.pace, Pace::Open { .. }) { LEAD_NS } else { 0 };
    let start_ns = *start.get_or_init(|| now_ns() + lead_ns);
    let source = match (&plan.pace, schedule(plan)) {
        (Pace::Open { .. }, Some(schedule)) => {
            Source::open(Share::new(schedule, lane.thread, plan.threads, plan.connections), start_ns)
        }
        (Pace::Closed { requests }, _) => {
            let connections = (lane.thread..plan.connections).step_by(plan.threads);
            Source::closed(connections.map(|connection| share(*requests, plan.connections, connection)))
        }
        (Pace::Open { .. }, None) => unreachable!("an open loop has a schedule"),
    };
    lane.run(source)
}

/// How many of a closed loop's requests a connection sends: as many as any other, or one more.
fn share(requests: u64, connections: usize, connection: usize) -> u64 {
    let (connections, connection) = (connections as u64, connection as u64);
    requests / connections + u64::from(connection < requests % connections)
}

/// The schedule of an open loop.
fn schedule(plan: &Plan) -> Option<Schedule> {
    match plan.pace {
        Pace::Closed { .. } => None,
        Pace::Open { rate_per_s, duration_ns, arrivals, seed } => {
            Some(Schedule::new(rate_per_s, duration_ns, arrivals, seed))
        }
    }
}
