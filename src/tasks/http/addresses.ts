// The addresses that a job's requests may go to: the public internet, and what the configuration allows in addition. The rules
// apply to the address of the connection, never to the text of a URL.
import { BlockList, isIP, isIPv4 } from 'node:net';

export interface AddressRules {
  /** `host` is the host of the URL. `address` and `port` are those of the connection. */
  allows(host: string, address: string, port?: number): boolean;
  /** True if the scheduler itself listens on this port of this machine. */
  isOwnPort(port: number): boolean;
}

export interface AddressOptions {
  /** Allows loopback addresses, for local mode. */
  readonly loopback?: boolean;
  /** Ports of this machine that are always refused. Default: none. */
  readonly ownPorts?: () => ReadonlySet<number>;
  /** Addresses, ranges (`10.1.0.0/16`) and host names (`hooks.internal`, `*.corp.example`). */
  readonly allow?: readonly string[];
}

/** The ranges of the IANA special-purpose registry that are not public hosts. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** In IPv6 only global unicast is public, except documentation, Teredo and 6to4, which wrap any IPv4 address. */
const PUBLIC_IPV6 = ['2000::/3'];
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/**
 * The addresses of hosts that are allowed by name: RFC 1918, shared, benchmarking, and unique local IPv6 addresses. A name
 * allows neither loopback and link-local addresses, nor addresses that wrap an IPv4 address (6to4, Teredo, local NAT64):
 * a gateway decides where those lead.
 */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '198.18.0.0/15',
  'fc00::/7',
];
/** Unique local addresses of EC2 services, such as instance metadata and DNS. They are never allowed by name. */
const INSTANCE_SERVICES = ['fd00:ec2::/32'];

const special = rangesOf([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const publicIpv6 = rangesOf(PUBLIC_IPV6);
const privateUse = rangesOf(PRIVATE);
const instanceServices = rangesOf(INSTANCE_SERVICES);
const loopbacks = rangesOf(['127.0.0.0/8', '::1']);
/** Loopback, and the unspecified address, whose connections go to loopback. */
const thisMachine = rangesOf(['127.0.0.0/8', '::1', '0.0.0.0/8', '::']);
const NO_PORTS: ReadonlySet<number> = new Set();

export function addressRules(options: AddressOptions = {}): AddressRules {
  const { loopback = false, allow = [], ownPorts = () => NO_PORTS } = options;
  const names = allow.filter((entry) => !isRange(entry)).map(nameRule);
  const allowed = rangesOf(allow.filter(isRange));
  return {
    isOwnPort: (port) => ownPorts().has(port),
    allows(host, given, port) {
      const address = effectiveAddress(given);
      if (address === undefined) return false;
      if (port !== undefined && within(thisMachine, address) && ownPorts().has(port)) return false;
      if (isPublic(address) || within(allowed, address)) return true;
      if (loopback && within(loopbacks, address)) return true;
      return (
        names.some((matches) => matches(host)) &&
        within(privateUse, address) &&
        !within(instanceServices, address)
      );
    },
  };
}

const isPublic = (address: string): boolean =>
  !within(special, address) && (isIPv4(address) || within(publicIpv6, address));

const within = (list: BlockList, address: string): boolean =>
  list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

const NAT64 = rangesOf(['64:ff9b::/96']);
const MAPPED = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/;
const LAST_TWO = /([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The effective address: the IPv4 address inside an IPv4-mapped or NAT64 one. In an IPv6-only subnet, DNS64 returns NAT64
 * addresses for all IPv4 hosts. Undefined if `given` is not an address, or has a zone, which is never public.
 */
function effectiveAddress(given: string): string | undefined {
  if (isIPv4(given)) return given;
  if (isIP(given) === 0 || given.includes('%')) return undefined;
  const canonical = new URL(`http://[${given}]`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(canonical);
  if (mapped) return ipv4(mapped[1], mapped[2]);
  if (!within(NAT64, canonical)) return canonical;
  const tail = LAST_TWO.exec(canonical);
  return tail ? ipv4(tail[1], tail[2]) : undefined; // It ends in "::", so it is 0.0.x.x, which is not public.
}

function ipv4(high = '0', low = '0'): string {
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

const isRange = (entry: string): boolean => isIP(entry.split('/')[0] ?? '') !== 0;

function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const maxBits = family === 'ipv4' ? 32 : 128;
    if (bits === undefined) list.addAddress(address, family);
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits) list.addSubnet(address, Number(bits), family);
    else
      throw new Error(
        `a range must be an address and 0 to ${maxBits} bits, such as "10.1.0.0/16", got "${entry}"`,
      );
  }
  return list;
}

const NAME = /^(\*\.)?(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

function nameRule(entry: string): (host: string) => boolean {
  if (!NAME.test(entry) || /^[\d.]+$/.test(entry)) {
    throw new Error(
      `an allowed host must be an address, a range such as "10.1.0.0/16" or a name such as "hooks.internal" or "*.internal", got "${entry}"`,
    );
  }
  const name = entry.toLowerCase();
  return name.startsWith('*.')
    ? (host) => host.toLowerCase().endsWith(name.slice(1))
    : (host) => host.toLowerCase() === name;
}

/** Jobs may not call this address. The message does not reveal the address behind a name. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  /** `ownPort` is set if the scheduler itself listens there. */
  constructor(host: string, ownPort?: number) {
    super(
      ownPort !== undefined
        ? `${host}:${ownPort} is where the scheduler itself listens, and calling it is not allowed here`
        : isIP(host) === 0
          ? `the host ${host} is not on the public internet, and calling it is not allowed here`
          : `${host} is not an address on the public internet, and calling it is not allowed here`,
    );
  }
}
