// Connections for the requests of jobs, protected against SSRF. A name is looked up once, every resolved address is checked, and
// the socket connects to one of them. So spellings of addresses, redirects and DNS rebinding lead to no other address.
import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRules, RefusedAddress } from './addresses.ts';

export type Lookup = (
  host: string,
  options: dns.LookupAllOptions,
  answer: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

const CONNECT_TIMEOUT_MS = 10_000;

export function guardedAgent(rules: AddressRules, lookup: Lookup = dns.lookup): Agent {
  const connector = (port?: number) =>
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      autoSelectFamily: true,
      lookup: checkedLookup(rules, lookup, port),
    });
  const defaultConnector = connector();
  return new Agent({
    connect(options, done) {
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
      // A port of the scheduler is refused only if the address is of this machine.
      const own = rules.isOwnPort(port) ? port : undefined;
      const refused = () => done(new RefusedAddress(host, own), null);
      // An address needs no lookup, so it is checked here.
      if (isIP(host) !== 0 && !rules.allows(host, host, own)) return refused();
      const connect = own === undefined ? defaultConnector : connector(own);
      connect(options, (error, socket) => {
        if (error) return done(error, null);
        // Defence in depth: nothing is sent if the socket is connected to another address than the checked one.
        if (socket.remoteAddress !== undefined && rules.allows(host, socket.remoteAddress, own))
          return done(null, socket);
        socket.destroy();
        refused();
      });
    },
  });
}

/** If one resolved address is refused, the host is refused: a private address next to a public one suggests an attack. */
const checkedLookup =
  (rules: AddressRules, lookup: Lookup, port?: number): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      if (addresses.length === 0 || !addresses.every(({ address }) => rules.allows(host, address, port)))
        return done(new RefusedAddress(host, port), []);
      if (options.all) return done(null, addresses);
      const [{ address, family } = { address: '', family: 4 }] = addresses;
      done(null, address, family);
    });
  };
