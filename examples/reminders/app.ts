// A web app whose users set, see and delete reminders. Punctual keeps the reminders and calls the app when one is due.
//   POST /reminders { "key", "text", "at", "timezone" }   GET /reminders   DELETE /reminders/{id}
// `PUNCTUAL_URL=… PUNCTUAL_TOKEN=… APP_URL=https://app.example.com node app.ts`
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { createClient, PunctualApiError, type PunctualClient } from 'punctual';

export interface AppOptions {
  readonly client: PunctualClient;
  /** The URL by which Punctual calls this app. */
  readonly appUrl: string;
  /** The user of a request. A real app takes it from its session. */
  userOf(request: IncomingMessage): string;
  /** Shows the reminder to the user. */
  remind(user: string, text: string): Promise<void>;
}

interface Reminder {
  /** A random text that the page makes when its form is opened. A second click on the button sends the same one. */
  readonly key: string;
  readonly text: string;
  /** Local time, such as 2026-12-01T09:00, in `timezone`. */
  readonly at: string;
  readonly timezone: string;
}

export function createApp({ client, appUrl, userOf, remind }: AppOptions): Server {
  /** The reminders of a user have the tag `user`, so that a list needs no database of the app. */
  const tagOf = (user: string) => `user:${user}`;

  async function create(user: string, { key, text, at, timezone }: Reminder) {
    const job = await client.jobs.create(
      {
        name: 'reminder',
        task: 'http',
        params: { url: `${appUrl}/due`, method: 'POST', body: { user, text } },
        schedule: { at, timezone },
        tags: { user },
      },
      // within the app, keys of two users may be equal
      { idempotencyKey: `${encodeURIComponent(user)}/${key}` },
    );
    return { id: job.id, at: job.nextRunAt };
  }

  async function list(user: string) {
    const reminders = [];
    for await (const { id, nextRunAt } of client.jobs.list({ tag: tagOf(user), status: 'active' }))
      reminders.push({ id, at: nextRunAt });
    return reminders;
  }

  async function remove(user: string, id: string): Promise<boolean> {
    const job = await client.jobs.get(id);
    if (job.tags.user !== user) return false;
    await client.jobs.cancel(id);
    return true;
  }

  return createServer(async (request, response) => {
    const answer = (status: number, body?: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const body = await text(request);
      // examples/webhook-receiver shows how to check that a call comes from Punctual
      if (request.url === '/due') {
        const { user, text: about } = JSON.parse(body) as { user: string; text: string };
        await remind(user, about);
        return answer(200, {});
      }
      const user = userOf(request);
      const id = /^\/reminders\/([\w]+)$/.exec(request.url ?? '')?.[1];
      if (request.method === 'POST' && request.url === '/reminders')
        return answer(201, await create(user, JSON.parse(body) as Reminder));
      if (request.method === 'GET' && request.url === '/reminders') return answer(200, await list(user));
      if (request.method === 'DELETE' && id) return answer((await remove(user, id)) ? 204 : 404);
      return answer(404);
    } catch (error) {
      // the message of a 400 names the field and what is allowed
      if (error instanceof PunctualApiError && error.status < 500)
        return answer(error.status, { error: error.problem?.detail ?? error.message });
      return answer(500, { error: 'try again later' });
    }
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const {
    PUNCTUAL_URL = 'http://127.0.0.1:3000',
    PUNCTUAL_TOKEN = '',
    APP_URL = 'http://127.0.0.1:8081',
  } = process.env;
  createApp({
    client: createClient({ baseUrl: PUNCTUAL_URL, token: PUNCTUAL_TOKEN }),
    appUrl: APP_URL,
    userOf: (request) => String(request.headers['x-user'] ?? 'ann'),
    remind: async (user, about) => console.log(`${user}: ${about}`),
  }).listen(8081, () => console.log(`listens on port 8081 for ${APP_URL}`));
}
