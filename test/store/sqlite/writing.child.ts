// A process that writes until it is killed, and prints a line for each acknowledged write.
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts';
import { aHead, aRow, T0 } from '../../support/fixtures.ts';

const [file = '', name = ''] = process.argv.slice(2);
const { store } = await openSqliteStore({ file, boot: { id: name, at: T0 }, shards: 4 });
const due = dueKey(T0);

async function lane(number: number): Promise<void> {
  for (let i = 0; ; i++) {
    const jobId = `job_${name}-${number}-${i}`;
    const head = aHead({ jobId, userId: 'u' });
    if (!(await store.insertHead(head))) throw new Error(`${jobId} was there already`);
    process.stdout.write(`${jobId} created\n`);
    // claims of both kinds: with one attempt they wait for the disk
    const row = aRow({
      ...{ jobId, userId: 'u', due, status: 'RUNNING', number: 7, leaseUntil: T0, maxAttempts: 1 + (i % 2) },
    });
    const lock = { seen: head, lock: { due, number: 7 }, coveredUntil: undefined };
    if ((await store.claim({ seen: undefined, row, seat: undefined, lock })) !== 'done')
      throw new Error(`${jobId} could not be claimed`);
    process.stdout.write(`${jobId} claimed\n`);
    const { leaseUntil: _, ...ended } = { ...row, status: 'SUCCEEDED' as const };
    if (!(await store.updateRow({ status: 'RUNNING', number: 7 }, ended)))
      throw new Error(`${jobId} had another row`);
    process.stdout.write(`${jobId} ended\n`);
  }
}

await Promise.all(Array.from({ length: 40 }, (_, number) => lane(number)));
