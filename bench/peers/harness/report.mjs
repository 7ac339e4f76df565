export const DISTURBED_CORES = 0.25;

const join = (...parts) => parts.filter(Boolean).join(', ');
const rate = (value) => Math.round(value).toLocaleString('en-US');

const late = (r) =>
  join(
    [r.p50, r.p90, r.p99, r.max].map((ms) => ms ?? '-').join(' / '),
    r.early && `${r.early} early`,
    r.missing && `${r.missing} of ${r.expected} missing`,
    r.duplicates && `${r.duplicates} duplicates`,
    r.createdLateMs && `created ${r.createdLateMs} ms late`,
  );

const drained = (r) =>
  join(
    rate(r.perSecond),
    r.missing && `${r.missing} left at the time limit`,
    r.duplicates && `${r.duplicates} duplicates`,
  );

const crash = (r) =>
  r.restarted === 0
    ? `none within ${Math.round(r.watchedSeconds)} s`
    : join(
        `${r.restarted}/${r.count} in ${r.firstSeconds.toFixed(1)} - ${r.lastSeconds.toFixed(1)} s`,
        r.duplicates && `${r.duplicates} twice`,
        r.stolen && `${r.stolen} started twice before the crash`,
      );

const rows = [
  ['A 50/s: lateness ms p50 / p90 / p99 / max', 'A50', late],
  ['A 250/s', 'A250', late],
  ['A 1000/s', 'A1000', late],
  ['A 250/s: CPU of the store, cores', 'A250', (r) => r.storeCores.toFixed(2)],
  ['B burst: lateness ms p50 / p90 / p99 / last', 'B', late],
  ['C drain, jobs/s', 'C', drained],
  ['D create in bulk, jobs/s', 'Dbulk', (r) => rate(r.perSecond)],
  ['D create singly x32, jobs/s', 'Dsingle', (r) => rate(r.perSecond)],
  ['E worker CPU, ms/job (during C)', 'C', (r) => r.workerCpuMsPerJob.toFixed(3)],
  ['E store CPU, ms/job (during C)', 'C', (r) => r.storeCpuMsPerJob.toFixed(3)],
  ['F restart after kill -9, defaults', 'FcrashDefault', crash],
  ['F restart after kill -9, tuned', 'FcrashTuned', crash],
  ['G recurring: lateness ms p50 / p90 / p99 / max', 'G', late],
];

/** The whole report as markdown: conditions, the table, then settings and notes. */
export function markdown({ startedAt, seconds, cpus, node, quick, stores, peers: byName }) {
  const peers = Object.entries(byName);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const cell = (result, format) => {
    if (!result) return 'n/a';
    return (
      (result.failed ? `failed: ${result.failed}` : format(result)) +
      (result.otherCores > DISTURBED_CORES ? ' †' : '')
    );
  };
  const list = (settings) =>
    Object.entries(settings)
      .map(([key, value]) => `${key}=${value}`)
      .join(', ');
  return [
    `Run of ${startedAt}, ${seconds} s, ${cpus} cores, Node ${node}${quick ? ', --quick' : ''}`,
    ...Object.entries(stores).map(
      ([kind, { version, settings }]) => `- ${kind} ${version}: ${list(settings)}`,
    ),
    '',
    line(['', ...peers.map(([name, { version }]) => `${name} ${version}`)]),
    line(['---', ...peers.map(() => '---')]),
    ...rows.map(([title, key, format]) =>
      line([title, ...peers.map(([, { results }]) => cell(results[key], format))]),
    ),
    '',
    `† measured while other programs used more than ${DISTURBED_CORES} cores`,
    '',
    ...peers.flatMap(([name, { notes, profiles }]) => [
      `**${name}** ${Object.entries(profiles)
        .map(([use, options]) => `${use} \`${JSON.stringify(options)}\``)
        .join(', ')}`,
      ...notes.map((note) => `- ${note}`),
    ]),
  ].join('\n');
}
