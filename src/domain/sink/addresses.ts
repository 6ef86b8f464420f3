/** Which addresses a sink may be connected to: tenants name them, so only those of the public internet. */
import ipaddr from 'ipaddr.js';

/** What takes the place of a protocol that is not encrypted. */
const ENCRYPTED: Readonly<Record<string, string>> = { 'http:': 'https:', 'nats:': 'tls:' };

export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Addresses of the public ranges behind which clouds have metadata of machines. */
const METADATA: readonly string[] = ['168.63.129.16'];
/** Everything else of IPv6 is local, embeds an address of IPv4, or is not given out. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** `10.0.0.0/8`, or one address. The texts have been checked. */
export function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Whether the address, in any form of IPv4 or IPv6, is in one of the networks. */
function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

/** Why the address is refused, in words; undefined: it is public. */
function privateRangeOf(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'no address';
  const parsed = ipaddr.process(address);
  if (METADATA.includes(parsed.toString())) return 'cloud metadata';
  if (parsed.range() !== 'unicast') return parsed.range();
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST) ? 'not global' : undefined;
}

/** The host of a URL if it is an address, in its usual form: `http://0x7f.1` is one of 127.0.0.1. */
export function addressInUrl(url: string): string | undefined {
  const host = hostInUrl(url);
  return ipaddr.isValid(host) ? host : undefined;
}

/** The host of a URL of any protocol, as a URL of http has it; of IPv6 without brackets. */
export function hostInUrl(url: string): string {
  const host = URL.parse(url.replace(/^[a-z]+:/, 'http:'))?.hostname ?? '';
  return host.replace(/^\[|\]$/g, '');
}

/** What the settings of the operator allow. */
export interface SinkNetworks {
  /** Networks that are connected to although they are not public, and over http. */
  readonly allowed: readonly Network[];
}

/** Why a sink with this URL is not connected to the address; undefined: it is. */
export function refusalOf(address: string, url: string, { allowed }: SinkNetworks): string | undefined {
  if (isInNetworks(address, allowed)) return undefined;
  const range = privateRangeOf(address);
  if (range !== undefined) {
    return `the address is not public (${range}), and the operator does not allow it (VEXIL_SINK_ALLOWED_NETWORKS)`;
  }
  const protocol = URL.parse(url)?.protocol ?? '';
  const encrypted = ENCRYPTED[protocol];
  if (encrypted === undefined) return undefined;
  return `${protocol}// is for addresses that the operator allows (VEXIL_SINK_ALLOWED_NETWORKS) only: use ${encrypted}//`;
}
