/** Values for a property by its type, each with the expected answer. */

/** The expected answer. `good`: the answer to a good call; otherwise the status with the name of the error. */
export type Want = 'good' | `${4}${number} ${string}`;

/** The value as JSON text, because some values have no other form. If undefined, the property is left out. */
export type ValueRow = readonly [what: string, json: string | undefined, want: Want];

/** Values by property, with its place in the good body of the endpoint. */
export type Properties = Readonly<Record<string, readonly ValueRow[]>>;

/** The properties of an item of a body, or of a part of it. */
export const within = (place: string, properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([property, rows]) => [`${place}/${property}`, rows]));

const INVALID = '400 ValidationError';

const refuse = (rows: Readonly<Record<string, string | undefined>>): ValueRow[] =>
  Object.entries(rows).map(([what, json]) => [what, json, INVALID]);
const accept = (rows: Readonly<Record<string, string | undefined>>): ValueRow[] =>
  Object.entries(rows).map(([what, json]) => [what, json, 'good']);

const LEFT_OUT = { 'left out': undefined };
const NULL = { null: 'null' };
export const optional = accept(LEFT_OUT);
export const nullable = accept({ ...LEFT_OUT, ...NULL });
export const required = refuse({ ...LEFT_OUT, ...NULL });
export const notNull = [...optional, ...refuse(NULL)];

const NUMBER = { 'a number': '1' };
const TEXT = { 'a text': '"x"' };
const BOOLEAN = { 'a boolean': 'true' };
const LIST = { 'a list': '[]' };
const MAP = { 'an object': '{}' };

const letters = (count: number) => JSON.stringify('x'.repeat(count));

/** Texts that a person or a machine may have written. Each is accepted and stored unchanged. */
const oddTexts = {
  'é composed (NFC)': '"caf\u00e9"',
  'é decomposed (NFD)': '"cafe\u0301"',
  'an emoji': '"🚩👩‍👩‍👧"',
  'an emoji, escaped': '"\\ud83d\\udea9"',
  'bidi controls': '"\u202e\u2066a\u2069"',
  'control characters': '"\\u0000\\u0001\\u001b[31m\\u007f\\u0085"',
  'line breaks': '"a\\r\\nb\\u2028c"',
  noncharacters: '"\\uffff\\ufffe"',
  'a byte order mark within': '"a\ufeffb"',
  markup: '"</script><img src=x onerror=alert(1)>"',
  'a number in text': '"1e400"',
  __proto__: '"__proto__"',
};

/** A text with at most that many characters. */
export const text = (most: number): ValueRow[] => [
  ...accept({ 'an empty text': '""', [`${most} characters`]: letters(most), ...oddTexts }),
  ...refuse({ [`${most + 1} characters`]: letters(most + 1), 'half of a surrogate pair': '"\\ud83d"' }),
  ...refuse({ '90 kB': letters(90_000), ...NUMBER, ...BOOLEAN, ...LIST, ...MAP }),
];

/** A text with at least one character and at most that many. */
export const term = (most: number): ValueRow[] =>
  text(most).map(([what, json, want]) => [what, json, json === '""' ? INVALID : want]);

/** A URL-friendly name, as every name on the wire. */
export const name: ValueRow[] = [
  ...accept({ '100 characters': letters(100), 'all that a URL takes': '"aZ0-_.!~*\'()"', 'three dots': '"..."' }),
  ...accept({ __proto__: '"__proto__"', constructor: '"constructor"', NaN: '"NaN"', 'a number in text': '"-1"' }),
  ...refuse({ '101 characters': letters(101), '90 kB': letters(90_000), 'an empty text': '""', 'a blank': '" "' }),
  ...refuse({ 'one dot': '"."', 'two dots': '".."', 'a slash': '"a/b"', 'a percent sign': '"a%2Fb"' }),
  ...refuse({ 'a line break at the end': '"a\\n"', NUL: '"a\\u0000"', 'é composed (NFC)': '"\u00e9"' }),
  ...refuse({ 'é decomposed (NFD)': '"e\u0301"', 'an emoji': '"🚩"', 'a bidi control': '"a\u202e"' }),
  ...refuse({ 'a letter of another alphabet': '"\u0430"', 'a full-width letter': '"\uff21"', ...NUMBER }),
  ...refuse({ 'half of a surrogate pair': '"\\ud83d"', ...BOOLEAN, ...LIST, ...MAP }),
];

/** One of a few words. */
export const word = (one: string): ValueRow[] => [
  ...refuse({ 'another word': '"nonsense"', 'an empty text': '""', 'in capitals': `"${one.toUpperCase()} "` }),
  ...refuse({ 'a blank before it': `" ${one}"`, __proto__: '"__proto__"', constructor: '"constructor"' }),
  ...refuse({ ...NUMBER, ...BOOLEAN, ...MAP, 'it in a list': `["${one}"]` }),
];

export const flag: ValueRow[] = [
  ...accept({ true: 'true', false: 'false' }),
  ...refuse({ '"true"': '"true"', 1: '1', 0: '0', 'an empty text': '""', ...LIST, ...MAP }),
];

/** A whole number up to `most`. */
export const integer = (most: number): ValueRow[] => [
  ...accept({ 0: '0', '-0': '-0', '1.0': '1.0', '1e2': '1e2', [`${most}`]: `${most}` }),
  ...refuse({ [`${most + 1}`]: `${most + 1}`, '-1': '-1', '1.5': '1.5', '2^53 + 1': '9007199254740993' }),
  ...refuse({ '2^63': '9223372036854775808', '1e20': '1e20', '1e-1': '1e-1', '1e400': '1e400', '-1e400': '-1e400' }),
  ...refuse({ '"1"': '"1"', NaN: 'NaN', '"NaN"': '"NaN"', Infinity: 'Infinity', '0x10': '0x10', 1000: '1_000' }),
  ...refuse({ ...BOOLEAN, ...LIST, ...MAP }),
];

/** A whole number from 1 up to `most`. */
export const positive = (most: number): ValueRow[] =>
  integer(most).map(([what, json, want]) => [what, json, json === '0' || json === '-0' ? INVALID : want]);

export const percentage: ValueRow[] = [
  ...accept({ 0: '0', 100: '100', '-0': '-0', '50.0': '50.0', '5e1': '5e1', '"25"': '"25"' }),
  ...refuse({ '"12.5"': '"12.5"', '"100.0"': '"100.0"' }),
  ...refuse({ '-1': '-1', 101: '101', '12.5': '12.5', '1e400': '1e400', '2^53 + 1': '9007199254740993' }),
  ...refuse({ '"-1"': '"-1"', '"101"': '"101"', '"1e1"': '"1e1"', '"NaN"': '"NaN"', '"Infinity"': '"Infinity"' }),
  ...refuse({ '"0x10"': '"0x10"', '" 5"': '" 5"', '"5%"': '"5%"', 'an empty text': '""', 'other digits': '"\u0665"' }),
  ...refuse({ ...BOOLEAN, ...LIST, ...MAP }),
];

/** Any value that can be stored: its meaning depends on the strategy type. */
export const anything: ValueRow[] = [
  ...accept({ ...NULL, ...TEXT, ...NUMBER, ...BOOLEAN, ...LIST, ...MAP, ...oddTexts, '-0': '-0', '1e300': '1e300' }),
  ...accept({
    '2^53 + 1': '9007199254740993',
    '2^63': '9223372036854775808',
    '1e-300': '1e-300',
    '90 kB': letters(90_000),
  }),
  ...accept({
    'constructor in it': '{"constructor":{"prototype":{"polluted":1}}}',
    'null in it': '{"a":null,"b":[null]}',
  }),
  ...accept({ '50 levels': `${'['.repeat(50)}${']'.repeat(50)}` }),
  ...refuse({ '100 levels': `${'['.repeat(100)}${']'.repeat(100)}`, '1e400': '1e400', '1e400 in it': '{"a":[1e400]}' }),
  ...refuse({ 'half of a surrogate pair': '"\\ud83d"', '__proto__ in it': '{"__proto__":{"polluted":1}}' }),
];

const entries = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n])));

/** A map of anything, at most 50 entries. */
export const preserveNulls: ValueRow[] = [
  ...accept({
    'an empty object': '{}',
    '50 entries': entries(50),
    'a name of 5,000 characters': `{${letters(5000)}:1}`,
  }),
  ...accept({ 'names like those of members': '{"constructor":1,"prototype":1,"toString":1,"hasOwnProperty":1}' }),
  ...accept({
    'a name that is empty': '{"":1}',
    'names of pointers': '{"a/b":1,"c~d":1,"-":1}',
    'a dotted name': '{"a.b":1}',
  }),
  ...accept({ 'odd names': '{"\\u0000":1,"🚩":1,"e\u0301":1,"\u00e9":1,"\u202e":1}' }),
  ...refuse({ '51 entries': entries(51), '5,000 entries': entries(5000), __proto__: '{"__proto__":1}' }),
  ...refuse({ 'half of a surrogate pair as a name': '{"\\ud83d":1}', ...TEXT, ...NUMBER, ...BOOLEAN, 'a list': '[1]' }),
];

/** A list with at most that many of these items. */
export const listOf = (item: (n: number) => unknown, most: number): ValueRow[] => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, (_, n) => item(n)));
  return [
    ...accept({ [`${most} items`]: list(most) }),
    ...refuse({ [`${most + 1} items`]: list(most + 1), 'a list of null': '[null]', 'a list of lists': '[[]]' }),
    ...refuse({ ...TEXT, ...NUMBER, ...BOOLEAN, 'an object': '{"0":{},"length":1}' }),
  ];
};

/** Operands of one kind of operator. */
export const operands = (good: readonly string[], bad: readonly string[]): ValueRow[] => [
  ...accept(Object.fromEntries(good.map((json) => [json, json]))),
  ...refuse(Object.fromEntries(bad.map((json) => [json, json]))),
];

/** A name that is already used. */
export const taken = (name: string): ValueRow => [
  `${name}, which there is`,
  JSON.stringify(name),
  '409 NameExistsError',
];
