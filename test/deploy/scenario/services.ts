// A service of `serviceClients`: its token by client credentials, with the commands of docs/deploy.md, and what it may do.
import { holds, same } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { SERVICE } from '../names.ts';
import type { Step } from '../report.ts';
import type { Site } from '../site.ts';

export async function callAsService(deployment: Deployment, site: Site, step: Step): Promise<void> {
  const { aws, outputs, emulator } = deployment;
  const clientId = new Map(
    (outputs.ServiceClients ?? '').split(',').map((one) => one.split('=') as [string, string]),
  ).get(SERVICE);
  holds(clientId, `the output ServiceClients names the client of ${SERVICE}: ${outputs.ServiceClients}`);
  // The emulator serves the endpoint of every pool at its own address.
  const tokenUrl = `${emulator.endpoint}${new URL(outputs.TokenUrl ?? '').pathname}`;
  const tokenFor = (secret: string) =>
    fetch(tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  const token = await step('a service gets a token by client credentials', async () => {
    const { UserPoolClient: client } = (await aws(
      'cognito-idp',
      'describe-user-pool-client',
      '--user-pool-id',
      site.userPoolId,
      '--client-id',
      clientId,
    )) as { UserPoolClient: { ClientSecret: string } };
    holds((await tokenFor('wrong')).status >= 400, 'a wrong secret gets no token');
    const response = await tokenFor(client.ClientSecret);
    same(response.status, 200, 'POST /oauth2/token');
    return ((await response.json()) as { access_token: string }).access_token;
  });
  await step('a service creates jobs of its own, and is no operator', async () => {
    const response = await site.fetch(`${site.url}/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ task: 'noop', schedule: { in: 'PT1H' } }),
    });
    same(response.status, 201, 'POST /jobs as a service');
    const { id } = (await response.json()) as { id: string };
    const service = site.as(token);
    const { items } = await service.jobs.list().page();
    same(
      items.map((job) => job.id),
      [id],
      'the jobs of the service',
    );
    same(
      await service.workers().then(
        () => 200,
        (error: { status: number }) => error.status,
      ),
      403,
      'GET /workers as a service',
    );
    await service.jobs.cancel(id);
  });
}
