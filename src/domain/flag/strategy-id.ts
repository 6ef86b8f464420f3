/** The id of a strategy on the wire, where it is always a UUID. */
import { hash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Must never change: every id made from a key depends on it. */
const NAMESPACE = Buffer.from('6f2b8e0c1d7a4c5e9a3b5d8f70e1c264', 'hex');

export interface StrategyPlace {
  /** The wire name of the flag. */
  readonly flag: string;
  readonly environment: string;
  readonly key: string;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A key that is a UUID is the id; any other key results in a UUIDv5 (RFC 9562 §5.5) of flag, environment and key. */
export function strategyIdOf({ flag, environment, key }: StrategyPlace): string {
  return isUuid(key) ? key : nameBasedUuid(`${flag}\n${environment}\n${key}`);
}

/** The id of a strategy that another server knows by this id: the same whenever it is computed. */
export function importedStrategyId(id: string): string {
  return isUuid(id) ? id : nameBasedUuid(id);
}

/** The id of a strategy's copy in a cloned environment: the same whenever it is computed. */
export function copiedStrategyId(id: string, environment: string): string {
  return nameBasedUuid(`${id}\n${environment}`);
}

function nameBasedUuid(name: string): string {
  const hex = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name)]));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const [low, middle, node] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(20, 32)];
  return `${low}-${middle}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${node}`;
}
