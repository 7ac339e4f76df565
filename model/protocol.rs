// Explicit-state model of Punctual's protocol (timetable, head, ledger): one job, one shard, whole ticks. See README.md.
// - A random `stamp` is modelled exactly, as one bit per process: the head was not written since this process read it (`fresh`).
// - A random token is the smallest number that is stored nowhere.
// - SQS is a monotone set of all messages that were ever sent. A message arrives any number of times after its due time, or
//   never: loss, duplication, delay, redelivery beside a zombie.
// - A process that is not scheduled is stalled. It may continue after any other step (zombie). A crash removes it.
// - Liveness: from every reached durable state all processes are killed and all messages lost. A fair run without faults
//   (one watcher, one worker) must then end every owed occurrence and every accepted manual run in a terminal row.
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

const E: usize = 8;              // execution ids: due tick 1..6; MANUAL = run-now
const MANUAL: usize = 7;
const LAST_DUE: u8 = 6;
const SLOTS: u8 = 40;
const BY_HAND: u8 = 1 << 7;      // message / entry kind retry or manual (else: bit = revision)

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Job { #[default] Absent, Active, Paused, Cancelled, Completed }

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd)]
enum St { #[default] Absent, Queued, Waiting, Running, Retrying, Succeeded, Failed, Skipped, Cancelled }
use St::*;
fn terminal(s: St) -> bool { s >= Succeeded }
fn open(s: St) -> bool { s != Absent && !terminal(s) }

/// Ledger row. fence = token of the holder that wrote it last (0: nobody ever held it).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Row { st: St, fence: u8, attempt: u8, next: u8 }

/// due 0 = no hold
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Hold { due: u8, token: u8, attempt: u8, lease: u8, cancel: bool }

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Head { job: Job, rev: u8, hold: Hold, last: u8, withdrawn: u8, note: Decision }
/// The last decision about an execution that nobody holds (due 0 = none). Decided here by CAS, recorded as a row after.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Decision { due: u8, st: St }

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Wp { #[default] Idle, OwnRow, HolderRow, Take, Takeover, FenceRow, OpenRow, EndRow, Help, Decide, Note, CloseRow, Run, Again, Completed, Release }

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Worker {
    pc: Wp, e: u8, msg: u8,      // message: execution and revision bit or BY_HAND
    fresh: bool, live: bool, dead: bool, hold: Hold, old: Decision, // what it read of the head
    row: Row, read: bool,        // own row as read
    note: St,                    // row to write as a note / as the end
    token: u8, lease: u8, had_row: bool, rev: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Xp { #[default] Idle, Dispatch, Commit, SettleHead, SettleAct, SettleCommit }
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Watcher { pc: Xp, slot: u8, live: u8, send: [u8; E], open: u8, absent: u8, follow: u8, done: u8, note: Decision }

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
enum Op { Create, EditSame, EditOther, Pause, Resume, CancelJob, CancelExec, RunNow, Retry }
const OPS: [(&str, Op); 9] = [("create", Op::Create), ("edit-same", Op::EditSame), ("edit-other", Op::EditOther), ("pause", Op::Pause),
    ("resume", Op::Resume), ("cancel-job", Op::CancelJob), ("cancel-exec", Op::CancelExec), ("run-now", Op::RunNow), ("retry", Op::Retry)];

/// pc 0 = idle; the numbers are the steps inside `api`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Api { pc: u8, op: u8, t0: u8, rev: u8, e: u8, fresh: bool, head: Head, row: Row }

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct State {
    // durable
    now: u8, head: Head, rows: [Row; E],
    entries: [u8; E],            // regular entries of due e: revisions
    by_hand: [u8; E],            // slot of the retry/manual entry of e (0 none)
    checks: [u32; E],            // slots holding a follow-up check of e
    dispatched: u8, settled: u8, owner: u8, sched: u8, revs: u8,
    msgs: [u8; E],
    // processes
    w: [Worker; 2], x: [Watcher; 2], a: [Api; 2],
    // budgets and ghosts
    ops: u8, used: u16, crashes: u8, owed: u8, accepted: u8, success: u8, fired: u8, bad: u8,
}

const BAD: [&str; 12] = ["", "I2 two live runs", "I3 before due", "I4 withdrawn, yet started", "I5 second success", "I5 live holder's result thrown away",
    "I8 skipped because of nothing", "I1 not terminal after fair recovery", "I4 started after its row was terminal", "I7 key fired twice", "I9 /retry gave no fresh attempt", "I9 retry before its backoff"];

#[derive(Clone, Debug)]
struct Cfg { tmax: u8, look: u8, lag: u8, deadline: u8, lease: u8, workers: usize, watchers: usize, apis: usize, ops: Vec<Op>, nops: u8, crashes: u8,
    queue: bool, once: bool, fails: bool, attempts: u8, beat: bool, lost: bool, steal: bool, fix: u32, cap: usize, sent: bool, started: bool, ignore: u16, without: String }

const FIX: [&str; 9] = ["headnote", "letgo", "entryfirst", "waitrev", "oncerev", "settleonce", "finrun", "nextat", "release"];
fn bit(name: &str) -> u32 { 1 << FIX.iter().position(|f| *f == name).expect(name) }
impl Cfg {
    /// deliberate damage to the fixed protocol: shows that a rule is needed (or not), and that the model would notice
    fn without(&self, rule: &str) -> bool { self.without == rule }
    fn fx(&self, i: u32) -> bool { self.fix & (1 << i) != 0 } }
const HEADNOTE: u32 = 0; const LETGO: u32 = 1; const ENTRYFIRST: u32 = 2; const WAITREV: u32 = 3; const ONCEREV: u32 = 4; const SETTLEONCE: u32 = 5;
const FINRUN: u32 = 6; const NEXTAT: u32 = 7; const RELEASE: u32 = 8;

type Out = Vec<(String, State)>;

// ---- schedules ---------------------------------------------------------------------------------------------------
fn occurs(c: &Cfg, sched: u8, d: u8) -> bool { if c.once { d == 2 + sched } else { d >= 2 && d <= LAST_DUE && d % 2 == sched % 2 } }
fn after(c: &Cfg, sched: u8, t: u8) -> Option<u8> { (t + 1..=LAST_DUE).find(|d| occurs(c, sched, *d)) }
fn sched_of(s: &State, rev: u8) -> u8 { (s.sched >> rev) & 1 }
fn mask_after(c: &Cfg, sched: u8, t: u8) -> u8 { (0..=LAST_DUE).filter(|d| *d > t && occurs(c, sched, *d)).fold(0, |m, d| m | 1 << d) }

// ---- head writes: every one changes the stamp --------------------------------------------------------------------
fn write_head(s: &mut State) { for w in s.w.iter_mut() { w.fresh = false } for a in s.a.iter_mut() { a.fresh = false } }
fn new_token(s: &State) -> u8 {
    (1..).find(|t| s.head.hold.token != *t && s.rows.iter().all(|r| r.fence != *t) && s.w.iter().all(|w| w.token != *t && w.hold.token != *t && w.row.fence != *t)
        && s.a.iter().all(|a| a.head.hold.token != *t && a.row.fence != *t)).unwrap()
}

/// Does the hold (of another execution) keep others out? `r` = consistent read of its row.
fn blocks(c: &Cfg, h: &Hold, r: &Row, now: u8) -> bool {
    let leased = now <= h.lease;
    if terminal(r.st) { return false }
    if c.fx(LETGO) && (r.st == Queued || r.st == Waiting) { return leased && r.fence != h.token && !c.without("about-to-fence") }
    true
}

// ---- worker ------------------------------------------------------------------------------------------------------
fn check_running(s: &mut State) {
    if s.w.iter().filter(|w| w.pc == Wp::Run && s.now <= w.lease).count() > 1 { s.bad = 1 }
}
fn start(c: &Cfg, s: &mut State, i: usize) {
    s.w[i].pc = Wp::Run;
    let e = s.w[i].e;
    if e as usize != MANUAL {
        if s.now < e { s.bad = 2 }
        if s.w[i].msg != BY_HAND && s.owed & (1 << e) == 0 && s.accepted & (1 << e) == 0 { s.bad = 3 }
        if c.once { s.fired |= 1 << e }
    }
    check_running(s);
}
fn forget(w: &mut Worker) { *w = Worker::default() }

/// The claim's decision, once own row (if needed) is known and the hold is this execution's or free (`free`).
fn decide(c: &Cfg, s: &State, w: &mut Worker, free: bool) {
    let own = w.hold.due == w.e;
    let r = w.row;
    if own && !free {
        let let_go = c.fx(LETGO) && open(r.st) && r.st != Running && r.fence == w.hold.token;
        if s.now <= w.hold.lease && !let_go { return forget(w) }              // somebody has it: come back at lease end
        if c.fx(NEXTAT) && r.st == Retrying && s.now < r.next { return forget(w) }
        if !let_go || r.st == Retrying {
            // step 3, takeover; the unstarted states of a by-hand execution are an ordinary take (below)
            if !(c.fx(LETGO) && (r.st == Queued || r.st == Waiting)) { w.pc = Wp::Takeover; return }
            if w.hold.cancel && r.fence != w.hold.token { w.pc = Wp::Takeover; return }
        }
    }
    let first = r.st == Absent || (c.fx(WAITREV) && r.st == Waiting);
    if first && !w.live { if r.st == Waiting { w.note = Cancelled; w.pc = Wp::CloseRow } else { forget(w) } return }
    if w.msg == BY_HAND && r.st == Absent { return forget(w) }
    if r.st != Absent && w.dead { w.note = Cancelled; w.pc = Wp::CloseRow; return }
    if c.fx(NEXTAT) && r.st == Retrying && s.now < r.next { return forget(w) }
    w.pc = Wp::Take;
}

fn worker(c: &Cfg, s: &State, i: usize, out: &mut Out, drain: bool) {
    let w = s.w[i];
    let e = w.e as usize;
    let mut t = *s;
    match w.pc {
        Wp::Idle => for e in 1..E { // receive and read the head
            for b in 0..8 { let m = 1u8 << b; if s.msgs[e] & m == 0 || (e != MANUAL && s.now < e as u8) { continue }
                if !drain && terminal(s.rows[e].st) && s.head.last >= e as u8 { continue } // would be deleted at once
                let mut t = *s;
                let h = s.head;
                let mut w = Worker { e: e as u8, msg: m, fresh: true, hold: h.hold, old: h.note, rev: if m == BY_HAND { 9 } else { b }, ..Default::default() };
                w.live = h.job == Job::Active && (m != BY_HAND && h.rev == b);
                w.dead = h.job == Job::Cancelled;
                if h.job == Job::Absent { continue }
                if h.withdrawn & (1 << e) != 0 { w.note = Cancelled; w.pc = Wp::Note }
                else if m == BY_HAND || (e as u8) <= h.last { w.pc = Wp::OwnRow }
                else if h.hold.due != 0 && h.hold.due != e as u8 { w.pc = Wp::HolderRow }
                else { decide(c, s, &mut w, h.hold.due == 0) }
                if w.pc == Wp::Idle && !drain { continue }
                if drain { t.msgs[e] &= !m }
                t.w[i] = w;
                out.push((format!("W{i} gets e{e}/{} reads head -> {:?}", if m == BY_HAND { "hand".into() } else { format!("r{b}") }, w.pc), t));
            } },
        Wp::OwnRow => { // consistent read of its own row
            let r = s.rows[e];
            t.w[i].row = r; t.w[i].read = true;
            if terminal(r.st) { forget(&mut t.w[i]) }
            else if r.st == Absent && w.old.due == w.e { t.w[i].note = w.old.st; t.w[i].pc = Wp::Note } // decided, not yet recorded
            else if w.hold.due != 0 && w.hold.due != w.e { t.w[i].pc = Wp::HolderRow }
            else { let mut k = t.w[i]; decide(c, s, &mut k, w.hold.due == 0); t.w[i] = k }
            out.push((format!("W{i} reads row e{e}: {:?} -> {:?}", r.st, t.w[i].pc), t));
        }
        Wp::HolderRow => { // consistent read of the holder's row
            let x = w.hold.due as usize; let r = s.rows[x];
            let mut k = w;
            if !blocks(c, &w.hold, &r, s.now) { decide(c, s, &mut k, true) }
            else if w.row.st != Absent || w.msg == BY_HAND || !w.live {
                // waits already (or by hand, or withdrawn): cancelled job / dead revision ends it, else it goes on waiting
                if w.row.st == Waiting && c.fx(WAITREV) && !w.live || open(w.row.st) && w.dead && w.hold.due != w.e { k.note = Cancelled; k.pc = Wp::CloseRow } else { forget(&mut k) }
            } else {
                k.note = if c.queue { Waiting } else { Skipped };
                // right only because of a run, a retry to come, or somebody who took it within one lease
                let taken = s.now <= w.hold.lease && r.fence != w.hold.token;
                if !c.queue && w.fresh && !taken && r.st != Absent && r.st != Running && r.st != Retrying { t.bad = 6 }
                k.pc = if !c.fx(HEADNOTE) { Wp::Note } else if w.old.due != 0 && !c.without("help") { Wp::Help } else { Wp::Decide };
            }
            t.w[i] = k;
            out.push((format!("W{i} reads holder's row e{x}: {:?} -> {:?}", r.st, k.pc), t));
        }
        Wp::Help => { // the decision about to be overwritten must have its row
            let o = w.old; if s.rows[o.due as usize].st == Absent { t.rows[o.due as usize].st = o.st }
            t.w[i].pc = Wp::Decide;
            out.push((format!("W{i} records the earlier decision e{}", o.due), t));
        }
        Wp::Decide => { // CAS: nobody can take this execution any more without seeing the decision
            if w.fresh { t.head.last = t.head.last.max(w.e); t.head.note = Decision { due: w.e, st: w.note }; write_head(&mut t); t.w[i].pc = Wp::Note; t.w[i].old = Decision::default() }
            else { forget(&mut t.w[i]); if drain { t.msgs[e] |= w.msg } }
            out.push((format!("W{i} decides e{e} {:?} in the head: {}", w.note, w.fresh), t));
        }
        Wp::Note => { // insert if absent
            let ok = s.rows[e].st == Absent;
            if ok { t.rows[e] = Row { st: w.note, ..Default::default() } }
            if drain && w.note == Waiting { t.msgs[e] |= w.msg }
            forget(&mut t.w[i]);
            out.push((format!("W{i} notes e{e} {:?}: {ok}", w.note), t));
        }
        Wp::CloseRow => { // an open row that nobody holds is ended, on condition of what was seen
            let r = s.rows[e]; let ok = r.st == w.row.st && r.fence == w.row.fence;
            if ok { t.rows[e].st = w.note }
            forget(&mut t.w[i]);
            out.push((format!("W{i} closes e{e} {:?}: {ok}", w.note), t));
        }
        Wp::Take => { // CAS on the stamp
            if !w.fresh { forget(&mut t.w[i]); if drain { t.msgs[e] |= w.msg } out.push((format!("W{i} take of e{e} refused"), t)); return }
            let tok = new_token(s);
            let attempt = if w.row.st == Absent { 1 } else { w.row.attempt + 1 };
            t.head.hold = Hold { due: w.e, token: tok, attempt, lease: s.now + c.lease, cancel: false };
            if e != MANUAL { t.head.last = t.head.last.max(w.e) }
            write_head(&mut t);
            if terminal(s.rows[e].st) && w.row.st == Absent { t.bad = 8 }
            t.w[i].token = tok; t.w[i].lease = s.now + c.lease; t.w[i].had_row = w.row.st != Absent; t.w[i].hold = Hold::default();
            if w.row.st == Absent { start(c, &mut t, i) } else { t.w[i].pc = Wp::FenceRow }
            out.push((format!("W{i} TAKES e{e} token {tok}"), t));
        }
        Wp::FenceRow => { // the open row gets my token, on condition of what was seen
            let r = s.rows[e]; let ok = r.st == w.row.st && r.fence == w.row.fence;
            if ok { t.rows[e] = Row { st: Running, fence: w.token, attempt: r.attempt + 1, next: 0 };
                if s.now <= w.lease || c.without("lease-check") { start(c, &mut t, i) } else { forget(&mut t.w[i]) } }
            else if c.fx(RELEASE) { t.w[i].pc = Wp::Release } else { forget(&mut t.w[i]) }
            out.push((format!("W{i} fences row e{e}: {ok}"), t));
        }
        Wp::Release => { // refused at the row: let the hold lapse
            if s.head.hold.token == w.token { t.head.hold.lease = 0; write_head(&mut t) }
            forget(&mut t.w[i]); if drain { t.msgs[e] |= w.msg }
            out.push((format!("W{i} lets hold e{e} lapse"), t));
        }
        Wp::Takeover => { // (i) CAS on the stamp
            if !w.fresh && !c.without("takeover-cas") { forget(&mut t.w[i]); if drain { t.msgs[e] |= w.msg } out.push((format!("W{i} takeover of e{e} refused"), t)); return }
            let tok = new_token(s);
            let seen = if c.fx(LETGO) && open(w.row.st) { w.row.attempt } else { w.hold.attempt };
            if !c.fx(LETGO) && w.row.st == Queued && seen >= c.attempts { t.bad = 10 }
            let end = if w.hold.cancel || (w.dead && w.row.st != Absent) { Cancelled } else if seen >= c.attempts { Failed } else { Absent };
            if w.row.st == Retrying && s.now < w.row.next { t.bad = 11 }
            t.head.hold = Hold { due: w.e, token: tok, attempt: seen + 1, lease: s.now + c.lease, cancel: w.hold.cancel };
            write_head(&mut t);
            t.w[i].token = tok; t.w[i].lease = s.now + c.lease; t.w[i].had_row = true; t.w[i].note = end; t.w[i].hold = Hold { attempt: seen + 1, ..Default::default() };
            t.w[i].pc = if end == Absent { Wp::OpenRow } else { Wp::EndRow };
            if c.without("row-at-takeover") && end == Absent && w.row.st == Absent { t.w[i].had_row = false; start(c, &mut t, i) }
            out.push((format!("W{i} TAKES OVER e{e} token {tok} -> {:?}", t.w[i].pc), t));
        }
        Wp::OpenRow | Wp::EndRow => { // (ii) the zombie's finish is refused from here on
            // a worker that did not read the row (due > lastDue as read) cannot be here: held means lastDue >= due
            let r = s.rows[e]; let ok = r.st == w.row.st && r.fence == w.row.fence;
            if ok && w.pc == Wp::EndRow { t.rows[e] = Row { st: w.note, fence: w.token, attempt: r.attempt, next: 0 }; forget(&mut t.w[i]) }
            else if ok { t.rows[e] = Row { st: Running, fence: w.token, attempt: w.hold.attempt, next: 0 };
                if s.now <= w.lease { start(c, &mut t, i) } else { forget(&mut t.w[i]) } }
            else if c.fx(RELEASE) { t.w[i].pc = Wp::Release } else { forget(&mut t.w[i]) }
            out.push((format!("W{i} {:?} e{e}: {ok}", w.pc), t));
        }
        Wp::Run | Wp::Again => { // Again: the task is over, the response of the finish was lost, the same write is tried again
            // heartbeat
            if w.pc == Wp::Run && c.beat && !drain && w.lease != s.now + c.lease && s.now <= w.lease {
                let mut t = *s;
                if s.head.hold.token == w.token {
                    t.head.hold.lease = s.now + c.lease; write_head(&mut t); t.w[i].lease = s.now + c.lease; check_running(&mut t);
                    out.push((format!("W{i} heartbeat e{e}"), t));
                }
            }
            // finish: success, failure, cancelled on request
            let r = s.rows[e];
            for kind in [Succeeded, Failed, Cancelled] {
                if w.pc == Wp::Run && kind == Failed && (!c.fails || drain) { continue }
                if w.pc == Wp::Run && kind == Cancelled && !(s.head.hold.token == w.token && s.head.hold.cancel) { continue }
                if w.pc == Wp::Run && drain && kind == Succeeded && s.head.hold.token == w.token && s.head.hold.cancel { continue }
                if w.pc == Wp::Again && kind != w.note { continue }
                let mine = r.fence == w.token && (!c.fx(FINRUN) || r.st == Running) && w.had_row;
                let ok = mine || !w.had_row && r.st == Absent;
                let mut t = *s;
                let attempt = if w.had_row { r.attempt } else { 1 };
                if ok {
                    let st = if kind == Failed && attempt < c.attempts { Retrying } else { kind };
                    t.rows[e] = Row { st, fence: w.token, attempt, next: if st == Retrying { s.now + 1 } else { 0 } };
                    if st == Retrying { t.msgs[e] |= w.msg }
                    if w.pc == Wp::Again && r.st == Queued { t.bad = 10 } // the repeated finish ends the new life before it began
                    if kind == Succeeded { if s.success & (1 << e) != 0 && w.pc == Wp::Run { t.bad = 4 } t.success |= 1 << e; }
                    if c.once && terminal(st) && (e != MANUAL || !c.fx(ONCEREV)) { t.w[i].pc = Wp::Completed } else { forget(&mut t.w[i]) }
                } else {
                    let own = r.fence == w.token; // lost response: it is my own write
                    if !own && w.pc == Wp::Run && s.now <= w.lease { t.bad = 5 }
                    forget(&mut t.w[i]);
                }
                if ok && c.lost && !drain && w.pc == Wp::Run { // the response is lost: the worker will try the same write again
                    let mut l = t; l.w[i] = w; l.w[i].pc = Wp::Again; l.w[i].note = kind; out.push((format!("W{i} finishes e{e} {kind:?}, response lost"), l)); }
                out.push((format!("W{i} finishes e{e} {kind:?}: {}", if ok { "accepted" } else { "refused" }), t));
            }
        }
        Wp::Completed => { // one-time job: its status (CAS loop; one atomic step is the loop's last round)
            let ok = s.head.job == Job::Active && (!c.fx(ONCEREV) || s.head.rev == w.rev);
            if ok { t.head.job = Job::Completed; write_head(&mut t) }
            forget(&mut t.w[i]);
            out.push((format!("W{i} job completed: {ok}"), t));
        }
    }
}

// ---- watcher -----------------------------------------------------------------------------------------------------
fn plan(c: &Cfg, t: &mut State, rev: u8, from: u8, beyond: u8) -> Vec<u8> {
    let (mut d, mut inside) = (from, vec![]);
    while let Some(n) = after(c, sched_of(t, rev), d) { t.entries[n as usize] |= 1 << rev; if n > beyond { break } inside.push(n); d = n }
    inside
}
fn watcher(c: &Cfg, s: &State, i: usize, out: &mut Out, drain: bool) {
    let x = s.x[i];
    let mut t = *s;
    let me = i as u8 + 1;
    match x.pc {
        Xp::Idle => {
            if !(s.owner == me || s.owner == 0 || c.steal || drain) { return }
            if s.dispatched < s.now + c.look && s.dispatched < LAST_DUE + 2 { // read the next slot and the head, consistently
                let k = s.dispatched + 1;
                let mut n = Watcher { pc: Xp::Dispatch, slot: k, ..Default::default() };
                for e in 1..E { if s.by_hand[e] == k { n.send[e] |= BY_HAND } }
                if (k as usize) < MANUAL && s.head.job == Job::Active && s.entries[k as usize] & (1 << s.head.rev) != 0 { n.live = s.head.rev + 1; n.send[k as usize] |= 1 << s.head.rev }
                let mut t = *s; t.owner = me; t.x[i] = n;
                out.push((format!("X{i} dispatch reads slot {k}"), t));
            }
            let k = s.settled + 1;
            if k + c.lag <= s.now && k < SLOTS && (c.without("settle-behind-dispatch") || k <= s.dispatched || s.dispatched >= LAST_DUE + 2) { // settle: rows first
                let mut n = Watcher { pc: Xp::SettleHead, slot: k, ..Default::default() };
                for e in 1..E {
                    let here = (e < MANUAL && e as u8 == k && s.entries[e] != 0) || s.by_hand[e] == k || s.checks[e] >> k & 1 == 1;
                    if !here { continue }
                    let r = s.rows[e];
                    if terminal(r.st) { n.done |= 1 << e } else if r.st == Absent { n.absent |= 1 << e } else { n.open |= 1 << e }
                }
                let mut t = *s; t.owner = me; t.x[i] = n;
                if n.absent | n.open | n.done == 0 { t.x[i].pc = Xp::SettleCommit }
                out.push((format!("X{i} settle reads rows of slot {k}"), t));
            }
        }
        Xp::Dispatch => { // plan successors, then send
            if x.live > 0 { plan(c, &mut t, x.live - 1, x.slot, s.now + c.look); }
            for e in 1..E { t.msgs[e] |= x.send[e] }
            t.x[i].pc = Xp::Commit; t.x[i].send = [0; E]; t.x[i].live = 0;
            out.push((format!("X{i} plans, sends slot {}", x.slot), t));
        }
        Xp::Commit => { if s.owner == me { t.dispatched = t.dispatched.max(x.slot) } t.x[i] = Watcher::default();
            out.push((format!("X{i} dispatched to {}: {}", x.slot, s.owner == me), t)) }
        Xp::SettleHead => { // then the head, consistently
            let h = s.head;
            for e in 1..E { let b = 1u8 << e;
                if x.open & b != 0 { t.x[i].follow |= b; t.x[i].send[e] = if s.by_hand[e] != 0 { BY_HAND } else { 0 } | if e < MANUAL { s.entries[e] } else { 0 } }
                if x.absent & b != 0 {
                    if h.hold.due == e as u8 { t.x[i].follow |= b; if s.now > h.hold.lease { t.x[i].send[e] = if e < MANUAL { s.entries[e] } else { BY_HAND } } }
                    else if e < MANUAL && h.job == Job::Active && s.entries[e] & (1 << h.rev) != 0 { t.x[i].follow |= b; t.x[i].send[e] = 1 << h.rev; t.x[i].live = h.rev + 1 }
                    if h.note.due == e as u8 { t.x[i].note = h.note }
                }
            }
            t.x[i].pc = Xp::SettleAct; t.x[i].open = 0; t.x[i].absent = 0;
            out.push((format!("X{i} settle reads head, slot {}", x.slot), t));
        }
        Xp::SettleAct => { // send again, plan successors, write the next check
            if x.live > 0 { plan(c, &mut t, x.live - 1, x.slot, s.now + c.look); }
            if x.note.due != 0 && s.rows[x.note.due as usize].st == Absent { t.rows[x.note.due as usize].st = x.note.st; t.checks[x.note.due as usize] |= 1 << (x.slot.max(s.now) + 1).min(SLOTS - 1) }
            for e in 1..E { t.msgs[e] |= x.send[e]; if x.follow & (1 << e) != 0 { t.checks[e] |= 1 << (x.slot.max(s.now) + 1).min(SLOTS - 1) }
                if c.fx(SETTLEONCE) && c.once && e < MANUAL && x.done & (1 << e) != 0 && s.head.job == Job::Active && s.entries[e] & (1 << s.head.rev) != 0 && terminal(s.rows[e].st) {
                    t.head.job = Job::Completed; write_head(&mut t) } }
            t.x[i] = Watcher { pc: Xp::SettleCommit, slot: x.slot, ..Default::default() };
            out.push((format!("X{i} settles slot {}", x.slot), t));
        }
        Xp::SettleCommit => { if s.owner == me { t.settled = t.settled.max(x.slot) } t.x[i] = Watcher::default();
            out.push((format!("X{i} settled to {}: {}", x.slot, s.owner == me), t)) }
    }
}

// ---- API -----------------------------------------------------------------------------------------------------------
/// What stays owed when everything not yet held is withdrawn.
fn keep(s: &State, wait_too: bool) -> u8 {
    (1..MANUAL).filter(|e| s.head.hold.due == *e as u8 || (s.rows[*e].st != Absent && !(wait_too && s.rows[*e].st == Waiting))).fold(0, |m, e| m | 1 << e) & s.owed
}
fn api(c: &Cfg, s: &State, i: usize, out: &mut Out) {
    let a = s.a[i];
    let h = s.head;
    let mut t = *s;
    if a.pc == 0 {
        if s.ops >= c.nops { return }
        for (k, op) in c.ops.iter().enumerate() {
            let twice = *op == Op::Create;
            if s.used >> k & 1 == 1 && !(twice && s.used >> (k + 8) & 1 == 0) { continue }
            let targets: Vec<usize> = match op { Op::CancelExec => (1..E).filter(|e| *e == MANUAL && s.rows[*e].st != Absent || (*e < MANUAL && s.entries[*e] & (1 << h.rev) != 0)).collect(),
                Op::Retry => (1..E).filter(|e| matches!(s.rows[*e].st, Failed | Cancelled | Skipped)).collect(), _ => vec![0] };
            let may = match op { Op::Create => true, Op::Resume => h.job == Job::Paused, Op::Pause => h.job == Job::Active, Op::EditSame | Op::EditOther => h.job == Job::Active,
                _ => h.job == Job::Active || h.job == Job::Paused || h.job == Job::Completed && *op == Op::Retry };
            if !may { continue }
            for e in targets {
                let mut t = *s; t.ops += 1; t.used |= if s.used >> k & 1 == 1 { 1 << (k + 8) } else { 1 << k };
                let mut n = Api { pc: 1, op: k as u8, t0: s.now, e: e as u8, ..Default::default() };
                if matches!(op, Op::Create | Op::EditSame | Op::EditOther | Op::Resume) { n.rev = t.revs; t.revs += 1;
                    let sc = match op { Op::EditOther => 1 - sched_of(s, h.rev), Op::Create => if s.used >> k & 1 == 1 { 1 } else { 0 }, _ => sched_of(s, h.rev) }; if after(c, sc, s.now).is_none() { continue } t.sched |= sc << n.rev }
                t.a[i] = n; out.push((format!("A{i} begins {op:?} {e}"), t));
            }
        }
        return;
    }
    if s.now > a.t0 + c.deadline && !c.without("deadline") { t.a[i] = Api::default(); out.push((format!("A{i} dies at its deadline"), t)); return }
    let op = c.ops[a.op as usize];
    let e = a.e as usize;
    let idle = Api::default();
    let say = |w: &str| format!("A{i} {op:?} {e}: {w}");
    let beyond = a.t0 + c.look + c.deadline + 1;
    match op {
        // entries -> head -> messages
        Op::Create | Op::EditSame | Op::EditOther | Op::Resume => match a.pc {
            1 => { plan(c, &mut t, a.rev, a.t0, beyond); t.a[i].pc = 2; out.push((say("entries"), t)) }
            2 => { t.a[i].head = h; t.a[i].fresh = true; t.a[i].pc = 3; if op == Op::Create && h.job != Job::Absent || op != Op::Create && matches!(h.job, Job::Cancelled | Job::Completed) { t.a[i] = idle }
                out.push((say("reads head"), t)) }
            3 => if a.fresh {
                    t.owed = keep(s, c.fx(WAITREV)) | mask_after(c, sched_of(s, a.rev), a.t0);
                    let job = if op == Op::EditSame || op == Op::EditOther { h.job } else { Job::Active };
                    if job == Job::Paused { t.owed = keep(s, c.fx(WAITREV)) }
                    t.head.job = job; t.head.rev = a.rev; write_head(&mut t); t.a[i].pc = 4; t.a[i].head = Head::default(); out.push((say("head written"), t)) }
                else { t.a[i].pc = 2; t.a[i].head = Head::default(); out.push((say("CAS refused"), t)) },
            _ => { for d in plan(c, &mut t, a.rev, a.t0, beyond) { t.msgs[d as usize] |= 1 << a.rev } t.a[i] = idle; out.push((say("sends, returns"), t)) }
        },
        Op::Pause | Op::CancelJob => match a.pc {
            1 => { t.a[i].fresh = true; t.a[i].pc = 2; out.push((say("reads head"), t)) }
            _ => if !a.fresh { t.a[i].pc = 1; out.push((say("CAS refused"), t)) } else {
                t.owed = keep(s, c.fx(WAITREV));
                t.head.job = if op == Op::Pause { Job::Paused } else { Job::Cancelled };
                if op == Op::CancelJob && h.hold.due != 0 { t.head.hold.cancel = true }
                write_head(&mut t); t.a[i] = idle; out.push((say("head written, returns"), t)) }
        },
        Op::CancelExec => match a.pc {
            1 => { t.a[i].head = h; t.a[i].fresh = true; t.a[i].pc = 2; out.push((say("reads head"), t)) }
            2 => { // reads the row, decides
                let r = s.rows[e]; t.a[i].row = r;
                t.a[i].pc = if terminal(r.st) { 9 } else if r.st == Queued || r.st == Waiting || r.st == Retrying { 4 } else if a.head.hold.due == a.e { 3 } else if r.st == Absent { if c.fx(HEADNOTE) { if a.head.note.due == a.e { 9 } else { 5 } } else { 3 } } else { 1 };
                if t.a[i].pc == 9 { t.a[i] = idle } if t.a[i].pc == 1 { t.a[i].head = Head::default() }
                out.push((say(&format!("reads row {:?}", r.st)), t)) }
            3 => if !a.fresh { t.a[i].pc = 1; t.a[i].head = Head::default(); t.a[i].row = Row::default(); out.push((say("CAS refused"), t)) } else {
                if h.hold.due == a.e { t.head.hold.cancel = true } else { t.head.withdrawn |= 1 << e; t.owed &= !(1 << e) }
                write_head(&mut t); t.a[i] = idle; out.push((say("cancel in head, returns"), t)) },
            4 => { let ok = s.rows[e].st == a.row.st && s.rows[e].fence == a.row.fence; if ok { t.rows[e].st = Cancelled; t.a[i] = idle } else { t.a[i].pc = 1; t.a[i].head = Head::default(); t.a[i].row = Row::default() }
                out.push((say(&format!("row CANCELLED {ok}")), t)) }
            5 => { let o = a.head.note; if o.due != 0 && s.rows[o.due as usize].st == Absent { t.rows[o.due as usize].st = o.st } t.a[i].pc = 6; out.push((say("records the earlier decision"), t)) }
            6 => if !a.fresh { t.a[i].pc = 1; t.a[i].head = Head::default(); t.a[i].row = Row::default(); out.push((say("CAS refused"), t)) } else {
                t.head.note = Decision { due: a.e, st: Cancelled }; t.owed &= !(1 << e); t.head.last = t.head.last.max(a.e); write_head(&mut t);
                t.a[i].head = Head::default(); t.a[i].pc = 7; out.push((say("decided in the head"), t)) },
            _ => { if s.rows[e].st == Absent { t.rows[e].st = Cancelled } t.a[i] = idle; out.push((say("row, returns"), t)) }
        },
        Op::RunNow | Op::Retry => { // fixed: entry -> row -> message; as written: row -> entry -> message
            let x = if op == Op::RunNow { MANUAL } else { e };
            let order: [u8; 4] = if c.fx(ENTRYFIRST) { [1, 2, 3, 4] } else { [2, 3, 1, 4] }; // 1 entry, 2 read row, 3 write row, 4 message
            match order[a.pc as usize - 1] {
                1 => { t.by_hand[x] = a.t0.max(1); t.a[i].pc += 1; out.push((say("entry"), t)) }
                2 => { t.a[i].row = s.rows[x]; t.a[i].pc += 1; out.push((say("reads row"), t)) }
                3 => { let r = s.rows[x]; let ok = r.st == a.row.st && r.fence == a.row.fence && (op == Op::RunNow || matches!(r.st, Failed | Cancelled | Skipped));
                    if ok { t.rows[x] = Row { st: Queued, fence: if c.fx(LETGO) || op == Op::RunNow { r.fence } else { new_token(s) }, attempt: 0, next: 0 }; t.success &= !(1 << x); t.accepted |= 1 << x; t.owed &= !(1 << x); t.a[i].pc += 1; t.a[i].row = Row::default() } else { t.a[i] = idle }
                    out.push((say(&format!("row QUEUED {ok}")), t)) }
                _ => { t.msgs[x] |= BY_HAND; t.a[i] = idle; out.push((say("message, returns 202"), t)) }
            }
        }
    }
}

// ---- exploration -------------------------------------------------------------------------------------------------
fn successors(c: &Cfg, s: &State) -> Out {
    let mut out = vec![];
    for i in 0..c.workers { worker(c, s, i, &mut out, false) }
    for i in 0..c.watchers { watcher(c, s, i, &mut out, false) }
    for i in 0..c.apis { if i == 1 && s.a[0].pc == 0 && s.a[1].pc == 0 { continue } api(c, s, i, &mut out) }
    if s.crashes < c.crashes {
        for i in 0..c.workers { if s.w[i].pc != Wp::Idle { let mut t = *s; t.crashes += 1; forget(&mut t.w[i]); out.push((format!("W{i} CRASHES"), t)) } }
        for i in 0..c.watchers { if s.x[i].pc != Xp::Idle { let mut t = *s; t.crashes += 1; t.x[i] = Watcher::default(); out.push((format!("X{i} CRASHES"), t)) } }
        for i in 0..c.apis { if s.a[i].pc != 0 { let mut t = *s; t.crashes += 1; t.a[i] = Api::default(); out.push((format!("A{i} CRASHES"), t)) } }
    }
    if s.now < c.tmax { let mut t = *s; t.now += 1; out.push((format!("-- tick {}", t.now), t)) }
    // workers are interchangeable
    if c.workers == 2 { for (_, t) in out.iter_mut() { if key(&t.w[0]) > key(&t.w[1]) { t.w.swap(0, 1) } } }
    out
}
fn key<T: Hash>(x: &T) -> u64 { let mut h = std::collections::hash_map::DefaultHasher::new(); x.hash(&mut h); h.finish() }
fn fingerprint(s: &State) -> u128 { let mut h = std::collections::hash_map::DefaultHasher::new(); s.hash(&mut h); let a = h.finish(); 77u8.hash(&mut h); (a as u128) << 64 | h.finish() as u128 }

/// All processes killed, all messages lost, then a fair run without faults.
fn recovers(c: &Cfg, s0: &State) -> Result<(), (State, &'static str)> {
    let mut s = *s0;
    s.w = Default::default(); s.x = Default::default(); s.a = Default::default(); s.msgs = [0; E]; s.owner = 0;
    let run = |s: &mut State, i: usize, f: &dyn Fn(&State, &mut Out)| { let _ = i; loop { let mut o = vec![]; f(s, &mut o); match o.first() { Some((_, t)) => { *s = *t; if s.x[0].pc == Xp::Idle { break } } None => break } } };
    let end = s.now.max(LAST_DUE) + 14;
    while s.now < end {
        loop { let before = (s.dispatched, s.settled); run(&mut s, 0, &|s, o| watcher(c, s, 0, o, true)); if before == (s.dispatched, s.settled) { break } }
        for _ in 0..30 {
            let mut o = vec![]; worker(c, &s, 0, &mut o, true);
            match o.first() { Some((_, t)) => { s = *t } None => break }
            while s.w[0].pc != Wp::Idle { let mut o = vec![]; worker(c, &s, 0, &mut o, true); s = o[0].1 }
        }
        s.now += 1;
    }
    for e in 1..E {
        if open(s.rows[e].st) { return Err((s, "row open for ever")) }
        if s.owed & (1 << e) != 0 && !terminal(s.rows[e].st) { return Err((s, "owed occurrence never terminal")) }
    }
    if s.head.note.due != 0 && s.rows[s.head.note.due as usize].st == Absent && s.owed >> s.head.note.due & 1 == 1 { return Err((s, "decision without row")) }
    if s.head.hold.due != 0 && !terminal(s.rows[s.head.hold.due as usize].st) { return Err((s, "hold stuck")) }
    if c.once && s.head.job == Job::Active { return Err((s, "one-time job never completed")) }
    Ok(())
}

fn initial(c: &Cfg) -> State {
    let mut s = State::default();
    if c.started || c.sent { // the job exists since tick 0 with revision 0
        s.head.job = Job::Active; s.revs = 1; s.owed = mask_after(c, 0, 0);
        let inside = plan(c, &mut s, 0, 0, c.look + c.deadline + 1);
        for d in inside { s.msgs[d as usize] |= 1 }
        if c.sent { s.now = 2; s.dispatched = LAST_DUE + 2; for e in 1..MANUAL { if occurs(c, 0, e as u8) { s.entries[e] |= 1; s.msgs[e] |= 1 } } }
    }
    s
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let get = |n: &str| args.iter().find_map(|a| a.strip_prefix(&format!("{n}=")).map(|v| v.to_string()));
    let num = |n: &str, d: usize| get(n).map(|v| v.parse::<usize>().unwrap()).unwrap_or(d);
    let has = |n: &str| args.iter().any(|a| a == n);
    let mut fix = 0u32;
    for f in get("fix").unwrap_or_default().split(',').filter(|f| !f.is_empty()) { if f == "all" { fix = (1 << FIX.len()) - 1 } else if let Some(n) = f.strip_prefix('-') { fix &= !bit(n) } else { fix |= bit(f) } }
    let ops = get("ops").unwrap_or_default().split(',').filter(|o| !o.is_empty()).map(|o| OPS.iter().find(|x| x.0 == o).expect(o).1).collect::<Vec<_>>();
    let c = Cfg { tmax: num("tmax", 4) as u8, look: num("look", 2) as u8, lag: num("lag", 3) as u8, deadline: num("deadline", 1) as u8, lease: num("lease", 1) as u8,
        workers: num("workers", 2), watchers: num("watchers", 0), apis: num("apis", 1), nops: num("nops", ops.len()) as u8, ops, crashes: num("crashes", 1) as u8,
        queue: has("queue"), once: has("once"), fails: has("fails"), attempts: num("attempts", 2) as u8, beat: has("beat"), lost: has("lost"), steal: has("steal"), fix,
        cap: num("cap", 20) * 1_000_000, sent: has("sent"), started: has("started"), ignore: num("ignore", 0) as u16, without: get("without").unwrap_or_default() };
    let t0 = std::time::Instant::now();
    let init = initial(&c);
    let mut seen: HashMap<u128, u128> = HashMap::new();
    let mut durable: HashSet<u64> = HashSet::new();
    let mut level = vec![init];
    seen.insert(fingerprint(&init), 0);
    let (mut edges, mut depth) = (0u64, 0);
    let mut verdict = String::from("EXHAUSTIVE, clean");
    'bfs: while !level.is_empty() {
        let mut next = vec![];
        for s in &level {
            let d = key(&(s.now, s.head, s.rows, s.entries, s.by_hand, (s.checks, s.dispatched, s.settled, s.owed, s.sched, s.accepted)));
            let mut fault = None;
            if durable.insert(d) { if let Err((end, why)) = recovers(&c, s) { fault = Some((format!("{}: {why}", BAD[7]), format!("after recovery: head {:?} rows {:?} owed {:b}", end.head, end.rows.iter().enumerate().filter(|r| r.1.st != Absent).collect::<Vec<_>>(), end.owed))) } }
            if s.bad != 0 && c.ignore >> s.bad & 1 == 0 { fault = Some((BAD[s.bad as usize].to_string(), String::new())) }
            if c.once && (s.fired & !(1 << MANUAL)).count_ones() > 1 && c.ops.iter().all(|o| *o == Op::Create) { fault = Some((BAD[9].into(), String::new())) }
            if let Some((name, more)) = fault {
                println!("  VIOLATION {name}");
                let mut path = vec![fingerprint(s)];
                while let Some(p) = seen.get(path.last().unwrap()) { if *p == 0 { break } path.push(*p) }
                path.reverse();
                let mut cur = init;
                for (n, f) in path.iter().skip(1).enumerate() { let (l, t) = successors(&c, &cur).into_iter().find(|(_, t)| fingerprint(t) == *f).unwrap(); println!("    {:2} {l}", n + 1); cur = t }
                if !more.is_empty() { println!("    {more}") }
                verdict = format!("VIOLATION {name}");
                break 'bfs;
            }
            if s.bad != 0 { continue }
            let f = fingerprint(s);
            for (_, t) in successors(&c, s) { edges += 1; let g = fingerprint(&t); if !seen.contains_key(&g) { seen.insert(g, f); next.push(t) } }
        }
        if seen.len() > c.cap { verdict = format!("CAPPED at depth {depth}, clean so far"); break }
        depth += 1;
        level = next;
    }
    println!("{} : {} states, {} transitions, depth {}, {} recoveries, {} s: {}", args.join(" "), seen.len(), edges, depth, durable.len(), t0.elapsed().as_secs(), verdict);
}
