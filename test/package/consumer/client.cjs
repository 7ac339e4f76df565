// The client as CommonJS.
const { createClient } = require('punctual');
const { PunctualApiError } = require('punctual/client');

const client = createClient({ baseUrl: process.env.URL, token: process.env.TOKEN });
client.jobs
  .create({ task: 'noop', name: 'cjs', schedule: { cron: '0 9 * * *', timezone: 'Europe/Paris' } })
  .then(async ({ id }) => {
    const names = [];
    for await (const { name } of client.jobs.list({ name: 'cjs', status: 'active' })) names.push(name);
    await client.jobs.cancel(id);
    const gone = await client.jobs.get('job_00000000000000000000').catch((error) => error);
    console.log(JSON.stringify([names, gone instanceof PunctualApiError, gone.status]));
  });
