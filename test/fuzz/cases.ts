/** A request of a sequence before the objects are known: it names objects by number, and bodies by source. */
import fc, { type Arbitrary } from 'fast-check';
import { anyOfSchema, type SchemaParts, type Vocabulary } from './any-of-schema.ts';
import { anyMutation, type Mutation } from './mutation.ts';
import { isOfAdminApi, type Operation, type Parameter, referredTo, type Schema } from './operations.ts';

/** The nth of the existing names, counted around; or a segment of the path as it is. */
export type Choice = number | string;

export interface Place {
  readonly flag: Choice;
  /** `own` is the project of the flag. */
  readonly project: 'own' | Choice;
  readonly environment: Choice;
  readonly strategy: Choice;
}

export type Body =
  | { readonly from: 'nothing' }
  | { readonly from: 'schema'; readonly value: unknown; readonly mutation?: Mutation }
  /** The present answer is sent back. */
  | { readonly from: 'answer'; readonly mutation?: Mutation }
  | { readonly from: 'text'; readonly text: string };

export interface Case {
  readonly operation: string;
  readonly place: Place;
  readonly query: readonly (readonly [string, string])[];
  /**
   * The value of If-Match, If-None-Match or Last-Event-ID. `fresh` is the present ETag, or the id of an event that GET
   * answers now.
   */
  readonly condition: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** A request that is not made for an endpoint. */
export interface WildCase {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

export type AnyCase = Case | WildCase;

/** Operations that leave fewer objects for later requests; they are chosen less often. */
const SELDOM = /^(deleteProjectFeature|deleteArchiveOfFeature|deleteStrategy|postProject(Archive|Delete))$/;
const OFTEN = /^(postArchiveReviveOfFeature|postPlayground|post.*Strategies|p(ut|atch).*(Strategy|Variants))$/;

/** The answer of an export is a body for them. */
const WRITTEN_ELSEWHERE = /\/(state|features-batch)\/(import|validate)$/;

/** Few strategies have a ramp whose state allows an action, and few flags may depend on another flag. */
const RARELY_POSSIBLE = /^post.*(Ramp|Dependencies)$/;

function weightOf({ id }: Operation): number {
  if (RARELY_POSSIBLE.test(id)) return 60;
  if (SELDOM.test(id)) return 6;
  return OFTEN.test(id) ? 15 : 10;
}

export function anyCase(operations: readonly Operation[], parts: SchemaParts): Arbitrary<AnyCase> {
  const ofOperations = operations.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: ofOperation(operation, parts) as Arbitrary<AnyCase>,
  }));
  const ofAdmins = operations.filter(isOfAdminApi);
  const wild = { weight: Math.ceil(ofAdmins.length / 2) + 1, arbitrary: anyWildCase(ofAdmins) };
  return fc.oneof(...ofOperations, wild);
}

function ofOperation(operation: Operation, parts: SchemaParts): Arbitrary<Case> {
  return fc.record({
    operation: fc.constant(operation.id),
    place: anyPlace,
    query: anyQuery(operation, parts.vocabulary),
    condition: fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: anyCondition }),
    headers: anyHeaders,
    body: anyBody(operation, parts),
  });
}

/** Names that do not exist, names that every object has, and invalid names. */
const segments = fc.oneof(
  fc.constantFrom('no-such', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'set-sort-order', '%00', '%2F'),
  fc.constantFrom('..', '.', '%2E%2E', '%F0%9F%98%80', '0', 'null', '*', 'x'.repeat(5000)),
  // Some endpoints refuse only what cannot be decoded.
  fc.constantFrom('%', '%FF', '%E0%A4%A'),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).map(encodeURIComponent),
);
const choice = (most: number) =>
  fc.oneof({ weight: 12, arbitrary: fc.nat({ max: most }) }, { weight: 1, arbitrary: segments });

const anyPlace: Arbitrary<Place> = fc.record({
  flag: choice(40),
  project: fc.oneof({ weight: 12, arbitrary: fc.constant('own') }, { weight: 1, arbitrary: choice(5) }),
  environment: choice(10),
  strategy: choice(10),
});

const anyCondition = fc.oneof(
  fc.constant('fresh'),
  fc.constantFrom('*', '"stale"', 'W/"weak"', '', ' , ,', '"a", "b"', 'fresh', 'x'.repeat(2000), '\u00ff"'),
);

const anyHeaders: Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ 'Content-Type': 'application/json' }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Readonly<Record<string, string>>[]>(
      { 'Content-Type': 'application/json; charset=utf-8' },
      { 'Content-Type': 'application/json-patch+json' },
      { 'Content-Type': 'APPLICATION/JSON' },
      { 'Content-Type': 'application/json', 'X-Request-Id': 'x'.repeat(200) },
      { 'Content-Type': 'application/json', 'X-Request-Id': '\u00e9' },
      { 'Content-Type': 'application/json', Accept: 'text/html', 'Accept-Encoding': 'br' },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Readonly<Record<string, string>>[]>(
      {},
      { 'Content-Type': '' },
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Type': 'application/json; charset=latin1' },
      { 'Content-Type': 'application/json; charset=nonsense' },
      { 'Content-Type': ';;;' },
      { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      { 'Content-Type': 'application/json', 'Content-Encoding': 'nonsense' },
    ),
  },
);

/** The switch on, off, or misspelt. */
const SWITCH = [...Array(10).fill('true'), 'false', 'false', 'false', '', 'TRUE', '1'];
const NONSENSE = [
  ['__proto__', 'x'],
  ['constructor[prototype]', 'x'],
  ['nonsense', '%FF'],
  ['a[b][c]', '1'],
] as const;

function anyQuery({ parameters }: Operation, { times }: Vocabulary): Arbitrary<Case['query']> {
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  const valuesOf = ({ type, format }: Schema) => {
    if (type === 'boolean') return fc.constantFrom(...SWITCH);
    return format === 'date-time' ? fc.oneof(fc.constantFrom(...times), anyQueryText) : anyQueryText;
  };
  const anyValueOf = ({ name, schema }: Parameter) => valuesOf(schema).map((value) => [name, value] as const);
  const required = asked.filter((parameter) => parameter.required);
  const any = queryOf(asked.map(anyValueOf));
  if (required.length === 0) return any;
  return fc.oneof({ weight: 4, arbitrary: fc.tuple(...required.map(anyValueOf)) }, any);
}

function queryOf(known: readonly Arbitrary<Case['query'][number]>[]): Arbitrary<Case['query']> {
  const one = fc.oneof(...known.map((arbitrary) => ({ weight: 6, arbitrary })), {
    weight: 1,
    arbitrary: fc.constantFrom(...NONSENSE),
  });
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant<Case['query']>([]) },
    { weight: 9, arbitrary: fc.uniqueArray(one, { minLength: 1, maxLength: 3, selector: ([name]) => name }) },
    { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
  );
}

const anyQueryText = fc.oneof(
  fc.constantFrom('simple:payments', 'pl', 'ad', '%C3%A9', 'constructor', '', ':', '%', '%FF', 'a//b'),
  // With authentication off, the key of a stream is the name of an environment.
  fc.constantFrom('production', 'development', 'constructor'),
  fc.constantFrom('IS:', 'IS:plain,rich', 'IS_ANY_OF:2,-42', 'IS:2026-02-28', 'IS:2026-02-30', '7', '-1'),
  fc.string({ maxLength: 10 }).map(encodeURIComponent),
);

function anyBody(operation: Operation, parts: SchemaParts): Arbitrary<Body> {
  if (!operation.body) return fc.constant({ from: 'nothing' });
  const fitting = isPatch(operation)
    ? fc.oneof({ weight: 3, arbitrary: anyPatch(operation, parts) }, anyOfSchema(operation.body, parts))
    : anyOfSchema(operation.body, parts);
  const mutation = anyMutation();
  const fromSchema = [
    { weight: 8, arbitrary: fitting.map((value): Body => ({ from: 'schema', value })) },
    { weight: 3, arbitrary: fc.record({ from: fc.constant('schema'), value: fitting, mutation }) },
  ] as const;
  const fromAnswer = [
    { weight: 2, arbitrary: fc.constant<Body>({ from: 'answer' }) },
    { weight: 4, arbitrary: fc.record({ from: fc.constant('answer'), mutation }) },
  ] as const;
  const text = { weight: 1, arbitrary: anyText.map((text): Body => ({ from: 'text', text })) };
  const isReadable = operation.hasGet || WRITTEN_ELSEWHERE.test(operation.template);
  return fc.oneof<fc.WeightedArbitrary<Body>[]>(
    ...fromSchema,
    ...(isReadable && !isPatch(operation) ? fromAnswer : []),
    text,
  );
}

const anyText = fc.oneof(
  fc.constantFrom('', ' ', '\ufeff', '{', '[1,', 'null', 'true', '0', '"', 'NaN', '1e400', '-', '\u0000', '{"a":1}x'),
  fc.constantFrom(
    '{"name":"twice","name":"once"}',
    '{"__proto__":{"a":1}}',
    '[{"op":"add"}]',
    '[[]]',
    '{"name":1e999}',
  ),
  fc.constantFrom('['.repeat(100_000), `${'[['.repeat(40)}${']]'.repeat(40)}`, `"${'x'.repeat(110_000)}"`),
  fc.json({ maxDepth: 2 }),
);

export function isPatch({ body }: Operation): boolean {
  return body?.['$ref'] === '#/components/schemas/JsonPatch';
}

/** Paths of inherited members. */
const INHERITED = [
  ...['/__proto__/polluted', '/constructor/prototype/polluted', '/toString', '/toString/polluted'],
  ...['/parameters/toString/polluted', '/0/toString/polluted'],
];

/** Makes operations on parts of the endpoint's answer, each with a value that fits there. */
function anyPatch({ answer = {} }: Operation, parts: SchemaParts): Arbitrary<unknown[]> {
  const places = placesIn(answer, parts).map(({ pointer, schema }) => {
    return { pointer, value: anyOfSchema(schema, { ...parts, property: pointer.split('/').at(-1) ?? '' }) };
  });
  const nearer = places.filter(({ pointer }) => pointer.split('/').length <= 3);
  const astray = INHERITED.map((pointer) => ({ pointer, value: fc.constantFrom<unknown[]>(true, 'x', {}) }));
  const place = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...nearer) },
    { weight: 3, arbitrary: fc.constantFrom(...places) },
    { weight: 2, arbitrary: fc.constantFrom(...astray) },
  );
  const pointer = place.map((one) => one.pointer);
  const op = fc.constantFrom('add', 'replace');
  const writes = place.chain(({ pointer, value }) => fc.record({ op, path: fc.constant(pointer), value }));
  const removes = fc.record({ op: fc.constant('remove'), path: pointer });
  const moves = fc.record({ op: fc.constantFrom('copy', 'move'), path: pointer, from: pointer });
  const operation = fc.oneof({ weight: 5, arbitrary: writes }, removes, moves);
  return fc.oneof(
    operation.map((one) => [one]),
    fc.array(operation, { maxLength: 3 }),
  );
}

interface Placed {
  readonly pointer: string;
  readonly schema: Schema;
}

/** The places in the answer and in its lists: a patch may be about one list alone. */
function placesIn(answer: Schema, parts: SchemaParts): Placed[] {
  const { properties = {} } = target(answer, parts) as { properties?: Readonly<Record<string, Schema>> };
  const lists = Object.values(properties).filter((one) => one['type'] === 'array');
  return [answer, ...lists].flatMap((schema) => below({ pointer: '', schema }, parts)).filter(({ pointer }) => pointer);
}

function below({ pointer, schema }: Placed, parts: SchemaParts): Placed[] {
  const { properties = {}, items } = target(schema, parts) as {
    properties?: Readonly<Record<string, Schema>>;
    items?: Schema;
  };
  const members = Object.entries(properties).map(([name, one]) => ({ pointer: `${pointer}/${name}`, schema: one }));
  const entries = items ? ['0', '1', '-'].map((index) => ({ pointer: `${pointer}/${index}`, schema: items })) : [];
  return [{ pointer, schema }, ...[...members, ...entries].flatMap((one) => below(one, parts))];
}

function target(schema: Schema, { components }: SchemaParts): Schema {
  return typeof schema['$ref'] === 'string' ? (referredTo(components, schema['$ref']) as Schema) : schema;
}

function anyWildCase(operations: readonly Operation[]): Arbitrary<WildCase> {
  const known = [...new Set(operations.flatMap(({ template }) => template.split('/').slice(3)))];
  const segment = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known, 'shop', 'pay', 'plain', 'production') },
    { weight: 1, arbitrary: segments },
  );
  const endpoint = fc.constantFrom(...operations.map(({ template }) => template.split('/').slice(3)));
  const path = fc
    .oneof(endpoint, fc.array(segment, { maxLength: 9 }))
    .map((all) => `/api/admin/${all.map(withoutBraces).join('/')}`);
  return fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'),
    path,
    headers: anyHeaders,
    text: fc.option(anyText, { nil: undefined }),
  });
}

/** Replaces `{environment}` by an existing name. */
function withoutBraces(segment: string): string {
  const there: Readonly<Record<string, string>> = {
    projectId: 'shop',
    featureName: 'plain',
    environment: 'production',
    strategyName: 'country',
  };
  return segment.replaceAll(/\{(\w+)\}/g, (_, name: string) => there[name] ?? 'all');
}
