/**
 * Plain scalars of YAML as kubectl reads them, by the rules of sigs.k8s.io/yaml, which are neither those of YAML 1.1
 * nor those of YAML 1.2: `no` is false and `017` is 15, but a date, `E5` and `12:30` are text.
 */
import { Scalar, type ScalarTag } from 'yaml';

const PREFIX = 'tag:yaml.org,2002:';

const nothing: ScalarTag = {
  identify: (value) => value === null || value === undefined,
  createNode: () => new Scalar(null),
  default: true,
  tag: `${PREFIX}null`,
  test: /^(?:~|null|Null|NULL)?$/,
  resolve: () => null,
  stringify: () => 'null',
};

const TRUE = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];

const boolean: ScalarTag = {
  identify: (value) => typeof value === 'boolean',
  default: true,
  tag: `${PREFIX}bool`,
  test: new RegExp(`^(?:${[...TRUE, ...FALSE].join('|')})$`),
  resolve: (text) => TRUE.includes(text),
  stringify: ({ value }) => String(value),
};

/** A few texts that pass the test are not numbers. */
const integer: ScalarTag = {
  identify: (value) => typeof value === 'number' && Number.isInteger(value),
  default: true,
  tag: `${PREFIX}int`,
  test: /^(?:(?:[-+]_*)?(?:\d[\d_]*|0_*[xX][\da-fA-F_]*|0_*[oO][0-7_]*|0_*[bB][01_]*)|0_*b_*[-+][01_]*)$/,
  resolve: (text) => numberIn(text) ?? text,
  stringify: ({ value }) => String(value),
};

const decimal: ScalarTag = {
  identify: (value) => typeof value === 'number',
  default: true,
  tag: `${PREFIX}float`,
  test: /^(?:[-+]_*)?(?:\.[\d_]+|\d[\d_]*\.[\d_]*|\d[\d_]*(?=[eE]))(?:[eE]_*[-+]?[\d_]+)?$/,
  resolve: (text) => numberIn(text) ?? text,
  stringify: ({ value }) => String(value),
};

/** JSON has no such numbers. */
const beyond: ScalarTag = {
  default: true,
  tag: `${PREFIX}float`,
  test: /^(?:\.nan|\.NaN|\.NAN|[-+]?\.(?:inf|Inf|INF))$/,
  resolve: (text) => {
    if (/nan/i.test(text)) return Number.NaN;
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  },
};

export const kubectlScalars: readonly ScalarTag[] = [nothing, boolean, integer, decimal, beyond];

function numberIn(text: string): number | undefined {
  const whole = integerIn(text);
  return whole === undefined ? decimalIn(text) : Number(whole);
}

const MAX_UNSIGNED = 2n ** 64n - 1n;
const MAX_SIGNED = 2n ** 63n - 1n;

/** Digits of any base with underscores anywhere, as far as 64 bits hold them. */
function integerIn(text: string): bigint | undefined {
  const plain = withoutUnderscores(text);
  const [, sign = '', digits = ''] = /^([-+]?)(\d\w*)$/.exec(plain) ?? /^0b([-+])([01]+)$/.exec(plain) ?? [];
  const isBinary = /^0b[-+]/.test(plain);
  const size = sizeOf(isBinary ? `0b${digits}` : digits);
  if (size === undefined) return undefined;
  const value = sign === '-' ? -size : size;
  const most = sign === '' ? MAX_UNSIGNED : MAX_SIGNED;
  return value <= most && value >= -MAX_SIGNED - 1n ? value : undefined;
}

function sizeOf(digits: string): bigint | undefined {
  const form = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase();
  return /^(?:0|[1-9]\d*|0x[\da-f]+|0o[0-7]+|0b[01]+)$/.test(form) ? BigInt(form) : undefined;
}

function decimalIn(text: string): number | undefined {
  const plain = withoutUnderscores(text);
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

/** In a text that starts with a point, they count only between digits. */
function withoutUnderscores(text: string): string {
  return text.startsWith('.') ? text.replaceAll(/(?<=\d)_(?=\d)/g, '') : text.replaceAll('_', '');
}

/** The name of a member that a plain scalar other than text stands for; undefined if it cannot be one. */
export function memberNameOf(value: unknown, source: string): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  const whole = integerIn(source);
  if (whole !== undefined) return whole <= MAX_SIGNED ? String(whole) : undefined;
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf';
  return formatFor32Bits(value);
}

/** The number as Go formats it with `g` for 32 bits. */
function formatFor32Bits(value: number): string {
  const rounded = Math.fround(value);
  if (!Number.isFinite(rounded)) return rounded < 0 ? '-.inf' : '.inf';
  if (rounded === 0) return Object.is(rounded, -0) ? '-0' : '0';
  const text = roundTripping(rounded);
  const [digits = '', exponent = ''] = text.split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(text));
  const size = String(Math.abs(power)).padStart(2, '0');
  return `${digits}e${power < 0 ? '-' : '+'}${size}`;
}

const MAX_PRECISION_OF_32_BITS = 9;

function roundTripping(rounded: number): string {
  for (let precision = 0; precision < MAX_PRECISION_OF_32_BITS; precision += 1) {
    const text = rounded.toExponential(precision);
    if (Math.fround(Number(text)) === rounded) return text;
  }
  return rounded.toExponential(MAX_PRECISION_OF_32_BITS);
}
