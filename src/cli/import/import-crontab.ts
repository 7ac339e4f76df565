// Imports a crontab: each line becomes a job with the task `script`. Variables become its environment.
import { MAX_JITTER_SECONDS } from '../../domain/schedule/schedule-kinds.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import { calendarOf, needsBothDays } from './cron-days.ts';
import { type Note, Refused } from './fields.ts';
import { type Imported, type ImportedJob, Names } from './imported.ts';
import { refuseUnlessFires } from './refuse-unless-fires.ts';

export interface CrontabOptions {
  /** Whether lines have a user before the command, as in /etc/crontab. */
  readonly system: boolean;
  /** The timezone of lines before a CRON_TZ. Undefined: UTC, with a note. */
  readonly timezone: string | undefined;
}

interface State {
  readonly variables: Map<string, string>;
  timezone: string | undefined;
  jitterSeconds: number | undefined;
  hasTimezoneNote: boolean;
  comments: string[];
  /** Variables that no job has used yet. */
  readonly unused: Map<string, { record: string; value: string }>;
}

const NICKNAME = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s;

export function importCrontab(text: string, options: CrontabOptions, now: number): Imported {
  const names = new Names();
  const jobs: ImportedJob[] = [];
  const notes: Note[] = [];
  const state: State = {
    variables: new Map(),
    timezone: options.timezone,
    jitterSeconds: undefined,
    hasTimezoneNote: options.timezone !== undefined,
    comments: [],
    unused: new Map(),
  };
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    const record = `line ${i + 1}`;
    const note = (kind: Note['kind'], field: string, value: string, reason: string) =>
      notes.push({ kind, record, field, ...(value !== '' && { value }), reason });
    if (line === '' || line.startsWith('#')) {
      dropComments(state, note, line);
      continue;
    }
    const [, name, value] = VARIABLE.exec(line) ?? [];
    if (name !== undefined) {
      const isCarried = variable(state, name, unquoted(value ?? ''), note);
      const before = state.unused.get(name);
      if (before) notes.push({ kind: 'dropped', field: name, ...before, reason: 'no job follows it' });
      if (isCarried) state.unused.set(name, { record, value: value ?? '' });
      continue;
    }
    try {
      jobs.push(jobOf(line, options, state, names, note, now));
      state.unused.clear();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      note('refused', '', line, error.message);
      for (const comment of state.comments) note('dropped', 'comment', comment, 'its line was refused');
    }
    state.comments = [];
  }
  dropComments(state, (kind, field, value, reason) =>
    notes.push({ kind, record: 'the end', field, value, reason }),
  );
  for (const [field, { record, value }] of state.unused)
    notes.push({ kind: 'dropped', record, field, value, reason: 'no job follows it' });
  return { jobs, notes };
}

type AddNote = (kind: Note['kind'], field: string, value: string, reason: string) => void;

/** Comments right above a line stay above its job. Others are reported. */
function dropComments(state: State, note: AddNote, line = ''): void {
  const text = line.replace(/^#+\s?/, '').trim();
  if (line.startsWith('#')) {
    if (text !== '') state.comments.push(text);
    return;
  }
  for (const comment of state.comments) note('dropped', 'comment', comment, 'no job follows it directly');
  state.comments = [];
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;

/** Whether the jobs that follow use the variable. Otherwise it is reported. */
function variable(state: State, name: string, value: string, note: AddNote): boolean {
  if (name === 'CRON_TZ') {
    state.timezone = value;
    state.hasTimezoneNote = true;
    return true;
  }
  if (name === 'RANDOM_DELAY' && /^\d+$/.test(value)) {
    const seconds = Number(value) * 60;
    state.jitterSeconds = Math.min(seconds, MAX_JITTER_SECONDS);
    if (seconds > MAX_JITTER_SECONDS)
      note('changed', name, value, `the jitter is ${MAX_JITTER_SECONDS} seconds, which is the maximum`);
    return true;
  }
  const reason = REASONS.get(name) ?? (/^(PUNCTUAL_|AWS_|ECS_|LD_)/.test(name) ? RESERVED : undefined);
  if (reason !== undefined) {
    note(name === 'SHELL' && !value.endsWith('/sh') ? 'changed' : 'dropped', name, value, reason);
    return false;
  }
  state.variables.set(name, value);
  if (name === 'TZ')
    note(
      'changed',
      name,
      value,
      'it is a variable of the command; CRON_TZ sets the timezone of the schedule',
    );
  return true;
}

const RESERVED = 'the environment of a script cannot have this variable';
const NO_OUTPUT = 'Punctual sends no output by e-mail; `notify` tells about failures';
/** Why variables of cron are not variables of the command. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['MAILTO', NO_OUTPUT],
  ['MAILFROM', NO_OUTPUT],
  ['SHELL', 'commands run with POSIX sh'],
]);

function jobOf(
  line: string,
  options: CrontabOptions,
  state: State,
  names: Names,
  note: AddNote,
  now: number,
): ImportedJob {
  const { fields, rest } = fieldsOf(line, note);
  const [, user = '', own = ''] = options.system ? (/^(\S+)\s+(.*)$/s.exec(rest) ?? []) : ['', '', rest];
  if (options.system && own === '')
    throw new Refused('it has no user and command; a user crontab is imported without --system');
  if (own === '') throw new Refused('it has no command');
  if (options.system) note('dropped', 'user', user, 'a script has no user of its own');
  else if (/^root\s+\S/.test(own))
    note(
      'changed',
      'command',
      'root',
      'it is run as a program; if it is a user, import the crontab with --system',
    );
  const schedule = scheduleOf(fields, state, note);
  refuseUnlessFires(schedule, now);
  const source = commandOf(own);
  const environment = Object.fromEntries(state.variables);
  const name = names.take(nameOf(own.split(/(?<!\\)%/)[0] ?? ''));
  return {
    name,
    job: {
      task: 'script',
      params: { language: 'shell', source, ...(state.variables.size > 0 && { environment }) },
      schedule,
    },
    ...(state.comments.length > 0 && { comment: state.comments.join('\n') }),
  };
}

function fieldsOf(line: string, note: AddNote): { fields: string[]; rest: string } {
  if (line.startsWith('@')) {
    const [, nickname = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
    if (/^@reboot$/i.test(nickname))
      throw new Refused('@reboot has no time; start the command with the machine');
    if (!NICKNAME.test(nickname)) throw new Refused(`${nickname} is not a time that Punctual knows`);
    return { fields: [nickname.toLowerCase()], rest };
  }
  // cronie does not log a line that begins with a minus
  const text = line.replace(/^-/, () => {
    note('dropped', 'prefix', '-', 'executions are always recorded');
    return '';
  });
  const found = /^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?:\s+(.*))?$/s.exec(text);
  if (!found) throw new Refused('it is neither a variable nor five fields and a command');
  return { fields: found.slice(1, 6), rest: found[6] ?? '' };
}

function scheduleOf(fields: string[], state: State, note: AddNote): ScheduleInput {
  if (!state.hasTimezoneNote) {
    note(
      'changed',
      'timezone',
      '',
      'the crontab has no CRON_TZ, so UTC is used; give the timezone of the machine with --timezone',
    );
    state.hasTimezoneNote = true;
  }
  const common = {
    ...(state.timezone !== undefined && { timezone: state.timezone }),
    ...(state.jitterSeconds ? { jitterSeconds: state.jitterSeconds } : {}),
  };
  if (fields.some((field) => field.includes('~')))
    throw new Refused('random values (~) are not supported; use RANDOM_DELAY');
  for (const field of fields) refuseLoneStep(field);
  const [, , day = '', , weekday = ''] = fields;
  if (fields.length === 5 && needsBothDays(day, weekday)) {
    note(
      'changed',
      'days',
      `${day} ${weekday}`,
      'cron requires both day fields here, so the job has a calendar schedule',
    );
    return { ...calendarOf(fields), ...common };
  }
  return { cron: fields.join(' '), ...common };
}

/** Vixie cron ignores the step of `5/15`, others refuse it, and Punctual reads it as `5-59/15`. */
function refuseLoneStep(field: string): void {
  const [, start] = /(?:^|,)([^*,/-]+)\//.exec(field) ?? [];
  if (start !== undefined)
    throw new Refused(
      `${JSON.stringify(field)} has a step without a range, which cron refuses or ignores; write ${JSON.stringify(start)}, or a range before the step`,
    );
}

/** In a crontab, the first `%` ends the command, and what follows is its standard input, with `%` for line breaks. */
function commandOf(text: string): string {
  const parts = text.split(/(?<!\\)%/).map((part) => part.replaceAll('\\%', '%'));
  const [command = '', ...input] = parts;
  if (input.length === 0) return command;
  let end = 'EOF';
  while (input.includes(end)) end = `${end}_`; // a line of the input must not end it
  return `{ ${command.trim()}\n} <<'${end}'\n${input.join('\n')}\n${end}\n`;
}

/** The program of the command, such as backup.sh of `cd /srv && /usr/local/bin/backup.sh --full`. */
function nameOf(command: string): string {
  const words = command.split(/\s+/).filter((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word));
  const parts = words
    .join(' ')
    .split(/\s*(?:&&|\|\||;|\|)\s*/)
    .filter((part) => !/^(cd|sleep|test|\[|export|source|\.)\b/.test(part));
  const [program = ''] = (parts[0] ?? words.join(' ')).trim().split(/\s+/);
  return program.split('/').at(-1) || 'job';
}
