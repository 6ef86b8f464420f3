/** IP addresses and ranges of them. */

/** An address of 32 or 128 bits. */
interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** The addresses that agree with `address` in the first bits. */
interface Range {
  readonly bits: 32 | 128;
  /** Number of bits that are free. */
  readonly free: bigint;
  readonly start: bigint;
}

/** The longest one: an IPv6 address that ends in an IPv4 address. */
const MAX_LENGTH = 45;

/** Undefined if the text is not an address. An IPv4 address within IPv6 (`::ffff:10.0.0.1`) is an IPv6 address. */
function parseAddress(text: string): Address | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

/**
 * Parses a range in CIDR notation, or one address; undefined if the text is neither. Bits beyond the prefix are
 * ignored.
 */
function parseRange(text: string): Range | undefined {
  const [first = '', prefix, ...more] = text.split('/');
  const address = parseAddress(first);
  if (address === undefined || more.length > 0) return undefined;
  const { bits, value } = address;
  if (prefix !== undefined && !(/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits)) return undefined;
  const free = BigInt(bits - Number(prefix ?? bits));
  return { bits, free, start: value >> free };
}

/** Whether the text is an address, or a range of addresses. */
export function isRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/**
 * Whether an address is in one of the ranges; undefined if the text is not an address. Entries that are not ranges are
 * skipped.
 */
export function compileRanges(entries: readonly string[]): (text: string) => boolean | undefined {
  const ranges = entries.map(parseRange).filter((range) => range !== undefined);
  const byLength = Map.groupBy(ranges, ({ bits, free }) => `${bits}/${free}`);
  const lengths = [...byLength.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, starts: new Set([first, ...others].map(({ start }) => start)) }] : [],
  );
  return (text) => {
    const address = parseAddress(text);
    return (
      address && lengths.some(({ bits, free, starts }) => bits === address.bits && starts.has(address.value >> free))
    );
  };
}

function parseV4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return { bits: 32, value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n) };
}

function parseV6(text: string): Address | undefined {
  const groups = groupsOf(text.replace(/(?<=:)\d+[.][\d.]+$/, asGroups));
  if (groups?.length !== 8 || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return { bits: 128, value: groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n) };
}

/** The groups between the colons, with those that `::` stands for; undefined if there are too many. */
function groupsOf(text: string): readonly string[] | undefined {
  const [head, tail, ...more] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  if (head === undefined || more.length > 0) return undefined;
  if (tail === undefined) return head;
  const omitted = 8 - head.length - tail.length;
  return omitted < 1 ? undefined : [...head, ...new Array<string>(omitted).fill('0'), ...tail];
}

/** An IPv4 address at the end, as two groups. */
function asGroups(text: string): string {
  const address = parseV4(text);
  return address ? `${(address.value >> 16n).toString(16)}:${(address.value & 0xffffn).toString(16)}` : text;
}
