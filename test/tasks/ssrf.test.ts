// Attempts to make a worker call what only it can reach. The real task is run; on AWS's rules, every one is refused, and a
// server on this machine's loopback sees none of them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AddressOptions, addressRules } from '../../src/tasks/http/addresses.ts';
import { guardedAgent, type Lookup } from '../../src/tasks/http/guarded-connect.ts';
import { HostLimiter } from '../../src/tasks/http/host-limiter.ts';
import { httpTask } from '../../src/tasks/http/http.ts';
import { httpParams } from '../../src/tasks/http/http-params.ts';
import { DoNotRetry } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';

let port = 0;
let touched = 0;
let outsidePort = 0;
let redirectTo = '';
const servers: Server[] = [];

beforeAll(async () => {
  const inside = createTcpServer((socket) => {
    touched++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  port = (inside.address() as AddressInfo).port;
  const outside = createServer((_, response) => response.writeHead(307, { location: redirectTo }).end());
  outside.listen(0, '127.0.0.1');
  await once(outside, 'listening');
  outsidePort = (outside.address() as AddressInfo).port;
  servers.push(inside as unknown as Server, outside);
});
afterAll(() => {
  for (const server of servers) server.close();
});
beforeEach(() => {
  touched = 0;
});

type Addresses = readonly string[];
const resolving =
  (answers: Record<string, Addresses | (() => Addresses)>): Lookup =>
  (host, _options, done) => {
    const answer = answers[host];
    const addresses = typeof answer === 'function' ? answer() : answer;
    if (!addresses) return done(Object.assign(new Error(`ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };

const call = (url: string, options: AddressOptions & { lookup?: Lookup } = {}) =>
  httpTask(() => ({
    dispatcher: guardedAgent(addressRules(options), options.lookup),
    hostLimiter: new HostLimiter({ perHost: 10 }),
  })).run(taskContext(httpParams.parse({ url, timeoutSeconds: 2 })));

const refused = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(DoNotRetry);
  expect(error).toMatchObject({ message: expect.stringContaining('calling it is not allowed here') });
  expect(touched).toBe(0);
};

describe('as a URL', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['another loopback', '127.255.255.254'],
    ['a short form', '127.1'],
    ['a shorter one', '127.0.1'],
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['octal in one', '017700000001'],
    ['hex', '0x7f.0.0.1'],
    ['hex in one', '0x7f000001'],
    ['mixed', '0x7f.1'],
    ['with a dot at the end', '127.0.0.1.'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['full-width digits', '１２７.0.0.1'],
    ['ideographic dots', '127。0。0。1'],
    ['circled digits', '①②⑦.0.0.1'],
    ['this host', '0.0.0.0'],
    ['this host, short', '0'],
    ['this network', '0.1.2.3'],
    ['instance metadata', '169.254.169.254'],
    ['instance metadata, decimal', '2852039166'],
    ['instance metadata, hex', '0xa9fea9fe'],
    ['instance metadata, octal', '0251.0376.0251.0376'],
    ['container credentials', '169.254.170.2'],
    ['EKS pod identity', '169.254.170.23'],
    ['the VPC’s resolver', '169.254.169.253'],
    ['10/8', '10.0.0.2'],
    ['172.16/12', '172.16.0.1'],
    ['the end of 172.16/12', '172.31.255.255'],
    ['192.168/16', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['benchmarking', '198.18.0.1'],
    ['IETF', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation, the second', '198.51.100.7'],
    ['documentation, the third', '203.0.113.7'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback in IPv6', '[::1]'],
    ['loopback in IPv6, written out', '[0:0:0:0:0:0:0:1]'],
    ['unspecified in IPv6', '[::]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped in hex', '[::ffff:7f00:1]'],
    ['IPv4-mapped metadata', '[::ffff:169.254.169.254]'],
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
    ['NAT64', '[64:ff9b::127.0.0.1]'],
    ['NAT64 to metadata', '[64:ff9b::a9fe:a9fe]'],
    ['NAT64 to 0.0.0.0', '[64:ff9b::]'],
    ['NAT64 for local use', '[64:ff9b:1::a00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['6to4 to metadata', '[2002:a9fe:a9fe::1]'],
    ['Teredo', '[2001:0:7f00:1::]'],
    ['metadata in IPv6', '[fd00:ec2::254]'],
    ['the VPC’s resolver in IPv6', '[fd00:ec2::253]'],
    ['unique local', '[fc00::1]'],
    ['link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['multicast in IPv6', '[ff02::1]'],
    ['documentation in IPv6', '[2001:db8::1]'],
    ['discard-only', '[100::1]'],
  ])('%s: %s', async (_what, host) => {
    await refused(call(`http://${host}:${port}/latest/meta-data/`));
  });

  it('https is no way around it', async () => {
    await refused(call(`https://127.0.0.1:${port}/`));
  });
});

describe('as a name', () => {
  it.each([
    ['that resolves to loopback', ['127.0.0.1']],
    ['that resolves to metadata', ['169.254.169.254']],
    ['that resolves to a private address', ['10.1.2.3']],
    ['with a public address and a private one', ['93.184.216.34', '10.1.2.3']],
    ['with a private address and a public one', ['10.1.2.3', '93.184.216.34']],
    ['that resolves to IPv6 loopback', ['::1']],
    ['that resolves to a mapped address', ['::ffff:10.0.0.1']],
    ['that resolves to NAT64 of a private address', ['64:ff9b::10.0.0.1']],
    ['that resolves to metadata in IPv6', ['fd00:ec2::254']],
    ['that resolves to a zone of this machine', ['fe80::1%eth0']],
    ['that resolves to nothing', []],
    ['that resolves to what is no address', ['not-an-address']],
  ])('%s', async (_what, addresses) => {
    await refused(call(`http://evil.example:${port}/`, { lookup: resolving({ 'evil.example': addresses }) }));
  });

  it.each(['localhost', 'LOCALHOST'])('%s, by the real resolver', async (name) => {
    await refused(call(`http://${name}:${port}/`));
  });

  it('does not say where a name leads', async () => {
    const lookup = resolving({ 'db.internal': ['10.1.2.3'] });
    const error = await call('http://db.internal/', { lookup }).catch((e: Error) => e);
    expect(String(error)).not.toContain('10.1.2.3');
  });

  it('that changes between two questions is asked once: what was checked is what is connected to', async () => {
    let asked = 0;
    const lookup = resolving({
      'rebind.example': () => (++asked === 1 ? ['192.0.2.77'] : ['127.0.0.1']),
    });
    // allowed: the first answer. A second question would lead to the server on loopback.
    const attempt = call(`http://rebind.example:${port}/`, { lookup, allow: ['192.0.2.77'] });
    await expect(attempt).rejects.toMatchObject({ name: 'NoAnswer' });
    expect([asked, touched]).toEqual([1, 0]);
  });
});

describe('as a redirect', () => {
  const start = (to: string) => {
    redirectTo = to;
    const lookup = resolving({ 'hooks.example': ['127.0.0.1'], 'evil.example': ['10.0.0.1'] });
    return { url: `http://hooks.example:${outsidePort}/`, lookup };
  };

  it.each([
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['metadata in decimal', () => 'http://2852039166/'],
    ['a private address', () => 'http://10.0.0.1/'],
    ['IPv6 loopback', () => `http://[::1]:${port}/`],
    ['mapped metadata', () => 'http://[::ffff:169.254.169.254]/'],
    ['a name that leads inside', () => 'http://evil.example/'],
    ['a protocol-relative address', () => '//169.254.170.2/v2/credentials'],
  ])('to %s', async (_what, to) => {
    const { url, lookup } = start(to());
    // the first host is allowed by its address, and nothing else is
    await refused(call(url, { lookup, allow: ['127.0.0.1'] }));
  });
});

describe('the scheduler’s own ports, where loopback is allowed', () => {
  const ownPorts = () => new Set([port]);
  const own = { loopback: true, ownPorts };

  it.each([
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '127.0.0.2',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ],
  ])('%s', async (host) => {
    await refused(call(`http://${host}:${port}/`, own));
    await refused(call(`https://${host}:${port}/`, own));
  });

  it('also where the configuration allows the address or the name', async () => {
    const lookup = resolving({ 'hooks.example': ['127.0.0.1'], 'hooks.internal': ['0.0.0.0'] });
    const allow = ['127.0.0.0/8', '0.0.0.0/8', 'hooks.example', 'hooks.internal'];
    for (const host of ['127.0.0.1', '0.0.0.0', 'hooks.example', 'hooks.internal'])
      await refused(call(`http://${host}:${port}/`, { ...own, allow, lookup }));
  });

  it('by a redirect', async () => {
    redirectTo = `http://127.0.0.1:${port}/`;
    await refused(call(`http://127.0.0.1:${outsidePort}/`, own));
  });

  it('are told as what they are', async () => {
    await expect(call(`http://127.0.0.1:${port}/`, own)).rejects.toThrow(
      `127.0.0.1:${port} is where the scheduler itself listens, and calling it is not allowed here`,
    );
  });

  it('of another machine are not ours', () => {
    expect(addressRules(own).allows('example.com', '93.184.216.34', port)).toBe(true);
    expect(addressRules(own).allows('127.0.0.1', '127.0.0.1', port + 1)).toBe(true);
  });
});

describe('what is allowed', () => {
  const answers = async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };

  it('local mode calls loopback, and no private range', async () => {
    const at = await answers();
    await expect(call(`http://127.0.0.1:${at}/`, { loopback: true })).resolves.toMatchObject({ status: 200 });
    await expect(call(`http://localhost:${at}/`, { loopback: true })).resolves.toMatchObject({ status: 200 });
    await refused(call('http://10.0.0.1/', { loopback: true }));
    await refused(call('http://169.254.169.254/', { loopback: true }));
  });

  it('a range allows its addresses, a name the private address it leads to', () => {
    const rules = addressRules({ allow: ['10.1.0.0/16', 'fd12::/16', 'hooks.internal', '*.corp.example'] });
    expect(rules.allows('10.1.2.3', '10.1.2.3')).toBe(true);
    expect(rules.allows('x', '::ffff:10.1.2.3')).toBe(true);
    expect(rules.allows('x', 'fd12::1')).toBe(true);
    expect(rules.allows('10.2.0.1', '10.2.0.1')).toBe(false);
    expect(rules.allows('HOOKS.internal', '192.168.3.4')).toBe(true);
    expect(rules.allows('a.corp.example', '192.168.3.4')).toBe(true);
    expect(rules.allows('corp.example', '192.168.3.4')).toBe(false);
    expect(rules.allows('evilcorp.example', '192.168.3.4')).toBe(false);
    for (const address of [
      '10.9.9.9',
      '172.16.0.1',
      '100.64.0.1',
      'fd99::1',
      'fc00::1',
      '64:ff9b::a00:1',
      '8.8.8.8',
    ])
      expect(rules.allows('hooks.internal', address)).toBe(true);
  });

  it.each([
    ...[
      '169.254.169.254',
      '127.0.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.0.8',
      '192.88.99.1',
    ],
    ...['::1', '::', 'fe80::1', 'fec0::1', 'ff02::1', 'fd00:ec2::254', '100::1', '2001:db8::1'],
    // addresses with an IPv4 address inside: where they lead is up to a gateway
    ...['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:a00:1::1', '2001:0:7f00:1::', '2001::1'],
    ...['64:ff9b:1::a00:1', '64:ff9b:1:ffff::7f00:1', '::7f00:1', '::ffff:0:7f00:1', '::ffff:0:a00:1'],
    '::ffff:127.0.0.1',
  ])('a name never leads to %s, only an entry of that address would', (address) => {
    expect(addressRules({ allow: ['hooks.internal'] }).allows('hooks.internal', address)).toBe(false);
    expect(addressRules({ allow: [address] }).allows(address, address)).toBe(true);
  });

  it('a name leads through NAT64 only where it may lead without', () => {
    const rules = addressRules({ allow: ['hooks.internal'] });
    for (const address of ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::'])
      expect(rules.allows('hooks.internal', address)).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '52.94.236.248',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '::ffff:8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
  ])('the public %s needs no permission', (address) =>
    expect(addressRules().allows('x', address)).toBe(true),
  );

  it.each(['10.0.0.0/33', 'fd00::/129', '10.0.0.0/x', 'http://x', 'a b', '10.0.0', '*', '-x.example'])(
    'an entry %j is refused by its text',
    (entry) => expect(() => addressRules({ allow: [entry] })).toThrow(`got "${entry}"`),
  );
});
