// Imports EventBridge schedules (aws scheduler get-schedule) and rules with their targets (aws events list-rules,
// list-targets-by-rule).
import type { FileJob } from '../jobs-file/file-schema.ts';
import { policiesOf, scheduleOf } from './eventbridge-schedule.ts';
import { taskOf } from './eventbridge-target.ts';
import { type FieldPath, Fields, type Note, Refused } from './fields.ts';
import { type Imported, type ImportedJob, Names } from './imported.ts';

/** `documents` are JSON values: a schedule or rule, a list of them, or the output of list-schedules or list-rules. */
export function importEventBridge(documents: readonly unknown[], now: number): Imported {
  const names = new Names();
  const jobs: ImportedJob[] = [];
  const notes: Note[] = [];
  for (const { record, value } of recordsOf(documents, notes)) {
    const result = importRecord(record, value, names, now);
    jobs.push(...result.jobs);
    notes.push(...result.notes);
  }
  return { jobs, notes };
}

interface FoundRecord {
  readonly record: string;
  readonly value: object;
}

/** The schedules and rules in the documents. Everything else in them is reported. */
function recordsOf(documents: readonly unknown[], notes: Note[]): FoundRecord[] {
  const found: FoundRecord[] = [];
  const visit = (value: unknown, where: string): void => {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, `${where}[${i}]`);
      return;
    }
    const lists = ['Schedules', 'Rules'].filter((name) => Array.isArray(Object(value)[name]));
    if (lists.length > 0) {
      const fields = new Fields(where, value);
      for (const name of lists) visit(fields.use(name), `${where}.${name}`);
      fields.drop(['NextToken'], 'the export is not complete; export the next page, too');
      notes.push(...fields.finish());
      return;
    }
    const { Name: name } = Object(value) as { Name?: unknown };
    if (value !== null && typeof value === 'object' && typeof name === 'string')
      found.push({ record: name, value });
    else
      notes.push({
        kind: 'refused',
        record: where,
        field: '',
        reason: 'it is not a schedule or rule with a Name',
      });
  };
  for (const [i, value] of documents.entries()) visit(value, `document ${i + 1}`);
  return found;
}

const isRule = (value: object): boolean =>
  'Targets' in value || 'EventPattern' in value || 'EventBusName' in value;

function importRecord(record: string, value: object, names: Names, now: number): Imported {
  const rule = isRule(value);
  const fields = new Fields(record, value);
  try {
    const targets = targetsOf(fields, rule);
    const schedule = scheduleOf(fields, now, rule);
    const name = fields.useText('Name') ?? record;
    const group = fields.useText('GroupName');
    const description = fields.useText('Description');
    const jobOf = (at: FieldPath): ImportedJob => {
      const id = fields.peek(...at, 'Id');
      const wanted = targets.length > 1 && typeof id === 'string' ? `${name}-${id}` : name;
      const { task, params } = taskOf(fields, at);
      const taken = names.take(wanted);
      if (taken !== name && targets.length === 1)
        fields.note('changed', ['Name'], `the job is called ${taken}`);
      if (rule && targets.length > 1) fields.use(...at, 'Id');
      const job: FileJob = {
        task,
        params,
        schedule,
        ...policiesOf(fields, at),
        ...(group !== undefined && group !== 'default' && { tags: { group: group.slice(0, 128) } }),
      };
      return { name: taken, job, ...(description && { comment: description }) };
    };
    const jobs = targets.flatMap((at) => {
      if (targets.length === 1) return [jobOf(at)];
      try {
        return [jobOf(at)];
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        fields.note('refused', at, error.message);
        return [];
      }
    });
    if (jobs.length === 0) throw new Refused(refusalsOf(fields).join('; '));
    dropKnown(fields, rule, targets);
    return { jobs, notes: fields.finish() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { jobs: [], notes: [{ kind: 'refused', record, field: '', reason: error.message }] };
  }
}

const refusalsOf = ({ notes }: Fields): string[] => [
  ...new Set(notes.filter(({ kind }) => kind === 'refused').map(({ reason }) => reason)),
];

/** The paths of the targets. A schedule has one, a rule up to five. */
function targetsOf(fields: Fields, rule: boolean): FieldPath[] {
  if (!rule) return [['Target']];
  const targets = fields.peek('Targets');
  if (!Array.isArray(targets) || targets.length === 0)
    throw new Refused(
      fields.peek('ScheduleExpression') === undefined
        ? 'it matches events and has no schedule'
        : 'it has no Targets; add the output of list-targets-by-rule to the rule',
    );
  return targets.map((_, i) => ['Targets', i]);
}

function dropKnown(fields: Fields, rule: boolean, targets: readonly FieldPath[]): void {
  if (fields.peek('GroupName') === 'default')
    fields.note('dropped', ['GroupName'], 'it is the default group, so the job has no tag for it');
  for (const name of ['Arn', 'CreationDate', 'LastModificationDate', 'ManagedBy', 'EventBusName', 'RoleArn'])
    fields.drop([name], 'it belongs to EventBridge');
  fields.drop(['KmsKeyArn'], 'data are encrypted by the key of the deployment');
  fields.drop(['ActionAfterCompletion'], 'a job that has ended stays in the list');
  if (rule && targets.length === 1) fields.drop([...(targets[0] ?? []), 'Id'], 'it belongs to EventBridge');
}
