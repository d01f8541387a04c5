// A Parallax worker in JavaScript, for Node.js 18 and later: see docs/bring-your-own.md.
import { createInterface } from "node:readline";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
// --- Checksum: 64 bits, so BigInt. Two calls a step: what is measured is the loop of `burn`, which needs 32 bits only.
const u64 = (value) => BigInt.asUintN(64, value);
const mix = (v) => {
  v = u64((v ^ (v >> 30n)) * 0xbf58476d1ce4e5b9n);
  v = u64((v ^ (v >> 27n)) * 0x94d049bb133111ebn);
  return v ^ (v >> 31n);
};
const taskSeed = (index) => mix(u64((index + 1n) * 0x9e3779b97f4a7c15n));
const fold = (state, result) => mix(u64((state << 23n) | (state >> 41n)) ^ result);
// --- Operations: a part that waits, a part that computes.
function burn(state, iterations) {
  let value = Number(state & 0xffffffffn);
  for (let index = 0; index < iterations; index++) value = (Math.imul(value, 1664525) + 1013904223 + index) >>> 0;
  return BigInt(value);
}
const compute = (task, state) => (task.op === "wait" ? 1n : burn(state, Number(task.iterations)));
const waitNs = (task) => (task.op === "burn" ? 0n : BigInt(task.io_ns));
const now = process.hrtime.bigint, nobody = new Int32Array(new SharedArrayBuffer(4));
function sleep(ns) {                          // holds its thread
  for (let end = now() + ns, left = ns; left > 0n; left = end - now()) Atomics.wait(nobody, 0, 0, Number(left) / 1e6);
}
async function pause(ns) {                    // lets the event loop go on; timers may fire early, by less than 1 ms
  for (let end = now() + ns, left = ns; left > 0n; left = end - now())
    await new Promise((go) => setTimeout(go, Math.ceil(Number(left) / 1e6)));
}
function doTask(job, index) {
  let state = taskSeed(index);
  for (let step = 0; step < job.steps; step++) {
    sleep(waitNs(job.task));
    state = fold(state, compute(job.task, state));
  }
  return state;
}
async function doTaskAsync(job, index) {
  let state = taskSeed(index);
  for (let step = 0; step < job.steps; step++) {
    await pause(waitNs(job.task));
    state = fold(state, compute(job.task, state));
  }
  return state;
}
// --- Models: each answers when its tasks began, their checksum, and how many each worker did.
const indices = (job) => Array.from({ length: job.tasks }, (_, number) => job.first_task + BigInt(number));
const models = {
  async sequential(job) {
    const began = now();
    const sum = indices(job).reduce((sum, index) => sum + doTask(job, index), 0n);
    return { began, sum, workers: [job.tasks] };
  },
  async async(job) {
    const began = now();
    const states = await Promise.all(indices(job).map((index) => doTaskAsync(job, index)));
    return { began, sum: states.reduce((sum, state) => sum + state, 0n), workers: [job.tasks] };
  },
  async threads(job) {
    const shared = new Int32Array(new SharedArrayBuffer(8));      // [0] whether they may go, [1] the next task
    const message = (thread) => new Promise((ok, fail) => thread.once("message", ok).once("error", fail));
    const start = () => new Worker(new URL(import.meta.url), { workerData: { job, shared } });
    const threads = Array.from({ length: job.workers }, start);
    await Promise.all(threads.map(message));                      // all stand ready …
    const done = Promise.all(threads.map(message));
    const ended = threads.map((thread) => new Promise((ok) => thread.once("exit", ok)));
    const began = now();
    Atomics.store(shared, 0, 1);
    Atomics.notify(shared, 0);                                    // … and are let go together
    const parts = await done;
    const took = now() - began;
    await Promise.all(ended);                                     // ending them is in no time
    return { began, took, sum: parts.reduce((sum, part) => sum + part.sum, 0n), workers: parts.map((part) => part.tasks) };
  },
};
function thread({ job, shared }) {
  parentPort.postMessage("ready");
  Atomics.wait(shared, 0, 0);
  let [sum, tasks] = [0n, 0];
  for (let next; (next = Atomics.add(shared, 1, 1)) < job.tasks; tasks++) sum += doTask(job, job.first_task + BigInt(next));
  parentPort.postMessage({ sum, tasks });
}
// --- The conversation.
const say = (reply) => process.stdout.write(JSON.stringify(reply) + "\n");
const die = (message) => process.stdout.write(JSON.stringify({ type: "error", message }) + "\n", () => process.exit(1));
function accept(job) {
  const words = [["kind", job.kind, ["batch"]], ["model", job.model, Object.keys(models)], ["lock", job.lock, ["none"]],
    ["op", job.task?.op, ["burn", "wait", "wait-and-burn"]]];
  const unknown = words.find(([, word, known]) => !known.includes(word));
  if (unknown) return { type: "unsupported", message: `${unknown[0]} ${unknown[1]}: this worker knows ${unknown[2].join(", ")}` };
  return { type: "ready", protocol: 1, worker: "node-worker 1", runtime: `node ${process.versions.node}`, facts: { v8: process.versions.v8 } };
}
async function run(job) {
  const [start, cpu] = [now(), process.cpuUsage()];
  const { began, sum, workers, took = now() - began } = await models[job.model](job);
  const { user, system } = process.cpuUsage(cpu);                 // microseconds
  return { type: "sample", elapsed_ns: Number(took), setup_ns: Number(began - start), tasks: job.tasks,
    checksum: u64(sum).toString(16).padStart(16, "0"), workers, usage: { user_ns: user * 1000, sys_ns: system * 1000 } };
}
async function main() {
  const parent = Number(process.env.PARALLAX_PARENT_PID ?? process.ppid);
  const orphan = () => process.ppid !== parent && process.exit(1);
  orphan();
  setInterval(orphan, 500).unref();                               // Node cannot ask to die with its parent
  let job = null;
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "") continue;
    let request;                                                  // numbers that a float cannot hold stay text
    try { request = JSON.parse(line.replace(/([:[,]\s*)(\d{16,})(?=\s*[,}\]])/g, '$1"$2"')); } catch (error) { return die(`not JSON: ${error.message}`); }
    if (request?.type === "job") {
      if (request.protocol !== 1) return die(`this worker speaks protocol 1, not ${request.protocol}`);
      const reply = accept(request);
      job = reply.type === "ready" ? { steps: 1, ...request, first_task: BigInt(request.first_task ?? 0) } : null;
      say(reply);
    } else if (request?.type === "run" && job) {
      say(await run(job).catch((error) => ({ type: "error", message: String(error) })));
    } else return die(request?.type === "run" ? "a run before a job" : "a line that is no message of the protocol");
  }
}
isMainThread ? main() : thread(workerData);
