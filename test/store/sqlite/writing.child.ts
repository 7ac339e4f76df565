// A process that writes until it is killed, and prints a line for each acknowledged write.
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite.ts';
import { aHead, aHold, aRow, T0 } from '../../support/fixtures.ts';

const [file = '', name = ''] = process.argv.slice(2);
const { store } = await openSqliteStore({ file, boot: { id: name, at: T0 }, shards: 4 });
const due = dueKey(T0);

async function lane(number: number): Promise<void> {
  for (let i = 0; ; i++) {
    const jobId = `job_${name}-${number}-${i}`;
    const head = aHead({ jobId, userId: 'u', stamp: 'new' });
    if (!(await store.insertHead(head))) throw new Error(`${jobId} was there already`);
    process.stdout.write(`${jobId} created\n`);
    if (!(await store.updateHead(head, { hold: aHold({ due, token: 't' }), stamp: 'held' })))
      throw new Error(`${jobId} could not be claimed`);
    process.stdout.write(`${jobId} held\n`);
    if (!(await store.insertRow(aRow({ jobId, userId: 'u', due, fence: 't' }))))
      throw new Error(`${jobId} had a row`);
    process.stdout.write(`${jobId} ended\n`);
  }
}

await Promise.all(Array.from({ length: 40 }, (_, number) => lane(number)));
