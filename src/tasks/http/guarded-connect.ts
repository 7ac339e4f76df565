// Connections for requests that tenants ask for. The name is looked up once, while connecting, and every address it
// leads to is checked; the socket goes to one of exactly these. So it does not matter how a URL spells an address, where a
// redirect leads, or what a name resolves to a moment later.
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
  const usual = connector();
  return new Agent({
    connect(options, done) {
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
      // a port of our own is refused by the address that the name leads to: elsewhere it is somebody else's
      const own = rules.isOwnPort(port) ? port : undefined;
      const refused = () => done(new RefusedAddress(host, own), null);
      // there is nothing to look up for an address, so it is checked here
      if (isIP(host) !== 0 && !rules.allows(host, host, own)) return refused();
      const connect = own === undefined ? usual : connector(own);
      connect(options, (error, socket) => {
        if (error) return done(error, null);
        // what was checked is what is connected to; should that ever not be so, nothing is sent
        if (socket.remoteAddress !== undefined && rules.allows(host, socket.remoteAddress, own))
          return done(null, socket);
        socket.destroy();
        refused();
      });
    },
  });
}

/** One refused address among several refuses the host: who publishes a private one beside a public one wants a rebinding. */
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
