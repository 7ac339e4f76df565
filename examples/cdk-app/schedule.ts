// Creates the job that invokes the Lambda, after the deployment: PUNCTUAL_URL=<Url> PUNCTUAL_TOKEN=<token> npm run schedule
import { createClient } from 'punctual/client';

const {
  PUNCTUAL_URL = 'http://127.0.0.1:3000',
  PUNCTUAL_TOKEN,
  REPORT_FUNCTION = 'nightly-report-dev',
} = process.env;
const client = createClient({ baseUrl: PUNCTUAL_URL, token: PUNCTUAL_TOKEN });

const job = await client.jobs.create(
  {
    name: 'nightly-report',
    task: 'lambda',
    params: { function: REPORT_FUNCTION, payload: { day: 1 } },
    schedule: { cron: '0 2 * * *', timezone: 'Europe/Paris' },
    retry: { maxAttempts: 5 },
    tags: { team: 'billing' },
  },
  // A second call of this script creates no second job.
  { idempotencyKey: 'nightly-report' },
);
console.log(`${job.id} runs next at ${job.nextRunAt}`);
