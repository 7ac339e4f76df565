// The client as an ES module: creates a job, waits for its execution, and gets an error.
import * as root from 'punctual';
import { createClient, PunctualApiError, verifySignature } from 'punctual/client';

if (root.createClient !== createClient) throw new Error('punctual and punctual/client are different modules');
const client = createClient({ baseUrl: process.env.URL, token: process.env.TOKEN });
const job = await client.jobs.create({ task: 'noop', name: 'esm', params: { result: { rows: 3 } } });
const [execution] = (await client.executions.ofJob(job.id).page()).items;
const ended = await client.waitFor(execution.id, { timeoutMs: 30_000 });
const refused = await client.jobs.create({ task: 'no-such-task' }).catch((error) => error);
const isValid = await verifySignature({
  method: 'POST',
  url: 'https://a.example/',
  signature: 't=1,v1=k:00',
  keys: [],
});
console.log(
  JSON.stringify([ended.status, ended.result, refused instanceof PunctualApiError, refused.status, isValid]),
);
