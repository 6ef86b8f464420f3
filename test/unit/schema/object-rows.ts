/** Whole objects with the verdict that the API server and the command line must agree on. */
import type { KindName } from '../../../src/schema/kinds.ts';
import { takenRoleNames, takenStrategyNames } from './people-rows.ts';
import { long } from './spec-row.ts';

interface ObjectRow {
  readonly title: string;
  readonly kind: KindName;
  /** The metadata. `name` is `x` if there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: unknown;
  /** The refusal. If absent, the object is accepted. */
  readonly refused?: {
    /** The field that the API server names, or a field above it. */
    readonly field: string;
    /** A part of the message of the API server. */
    readonly says: string;
  };
}

type Refused = readonly [field: string, says: string];
type Metadata = ObjectRow['metadata'];

function row(title: string, object: Omit<ObjectRow, 'title' | 'refused'>, refused?: Refused): ObjectRow {
  return { title, ...object, ...(refused && { refused: { field: refused[0], says: refused[1] } }) };
}

const tooLong = long(101);

/** The field with the name on the wire; undefined: the kind has none. */
const NAME_FIELDS: Readonly<Record<KindName, 'name' | 'username' | undefined>> = {
  flags: 'name',
  projects: 'name',
  environments: 'name',
  users: 'username',
  roles: 'name',
  tokens: 'name',
  strategyTypes: 'name',
  segments: 'name',
  changeRequests: undefined,
  changeApprovals: undefined,
  sinks: undefined,
};
const nameFields = (Object.keys(NAME_FIELDS) as KindName[]).flatMap((kind) => {
  const field = NAME_FIELDS[kind];
  return field ? [{ kind, field }] : [];
});

/** A name of an object that is too long on the wire. */
const longNameRows = nameFields.flatMap(({ kind, field }) => {
  const least = kind === 'tokens' ? { type: 'admin' } : {};
  const object = { kind, metadata: { name: tooLong } };
  const refused = [`spec.${field}`, `set spec.${field}`] as const;
  return [
    row(`an object name of 101 characters of ${kind}`, { ...object, spec: least }, refused),
    row(`an object name of 101 characters of ${kind}, spec: null`, { ...object, spec: null }, [
      ...(kind === 'tokens' ? (['spec', 'say at least which type'] as const) : refused),
    ]),
    row(`an object name of 101 characters of ${kind} with a wire name`, {
      ...object,
      spec: { ...least, [field]: 'short' },
    }),
  ];
});

const itself = ['spec.dependencies', 'cannot depend on itself'] as const;
const ownDependencyRows = [
  row('a flag that depends on its object name', flag({}, { dependencies: [{ feature: 'x' }] }), itself),
  row('a flag that depends on its own name', flag({}, { name: 'Own', dependencies: [{ feature: 'Own' }] }), itself),
  row('a flag with a name that depends on another', flag({}, { name: 'Own', dependencies: [{ feature: 'x' }] })),
];

const noType = ['spec', 'say at least which type'] as const;
const noTypeRows = [null, undefined].map((spec) =>
  row(`an ApiToken with spec ${spec}`, { kind: 'tokens', metadata: {}, spec }, noType),
);

const builtIn = ['spec.name', 'built-in'] as const;
const builtInRows = [
  ...takenRoleNames.map((name) =>
    row(`the role name ${name}`, { kind: 'roles', metadata: {}, spec: { name } }, builtIn),
  ),
  ...takenStrategyNames.map((name) =>
    row(`the strategy type ${name}`, { kind: 'strategyTypes', metadata: {}, spec: { name } }, builtIn),
  ),
  ...(
    [
      ['roles', 'admin'],
      ['strategyTypes', 'default'],
    ] as const
  ).flatMap(([kind, name]) => [
    ...[{}, null, undefined].map((spec) =>
      row(
        `the object name ${name} of ${kind}, spec ${JSON.stringify(spec)}`,
        { kind, metadata: { name }, spec },
        builtIn,
      ),
    ),
    row(`the object name ${name} of ${kind} with a wire name`, { kind, metadata: { name }, spec: { name: 'own' } }),
  ]),
];

function flag(metadata: Metadata, spec: unknown = {}): Omit<ObjectRow, 'title'> {
  return { kind: 'flags', metadata, spec };
}

const isWrong = {
  metadata: (title: string, metadata: Metadata, refused: Refused) => row(title, flag(metadata), refused),
};
const isFine = (title: string, metadata: Metadata) => row(title, flag(metadata));

const objectNames: readonly (readonly [string, boolean])[] = [
  ['a', true],
  ['0.b-c', true],
  [long(63, 'a.').concat('a'), true],
  ['Foo', false],
  ['foo_bar', false],
  ['-a', false],
  ['a-', false],
  ['a..b', false],
  ['.a', false],
  ['a b', false],
  ['ä', false],
  [long(254), false],
];
const objectNameRows = objectNames.map(([name, ok]) => {
  const object = { ...flag({ name }), spec: { name: 'wire' } };
  const title = `the object name ${JSON.stringify(name)}`;
  return ok ? row(title, object) : row(title, object, ['metadata.name', 'metadata.name']);
});

const keys: readonly (readonly [string, boolean])[] = [
  ['a', true],
  ['A.b_c-9', true],
  ['example.com/a', true],
  ['a.b-c.d/E', true],
  [long(63), true],
  [`${long(63)}/a`, true],
  [`${Array(4).fill(long(62)).join('.')}/a`, true],
  ['', false],
  ['a b', false],
  ['-a', false],
  ['a_', false],
  [long(64), false],
  ['/a', false],
  ['a/', false],
  ['a/b/c', false],
  ['exam_ple.com/a', false],
  [`${Array(4).fill(long(63)).join('.')}/a`, false],
];
const keyRows = ['labels', 'annotations'].flatMap((field) =>
  keys.map(([key, ok]) => {
    const title = `the key ${JSON.stringify(key)} of ${field}`;
    const metadata = { [field]: { [key]: 'a' } };
    return ok ? isFine(title, metadata) : isWrong.metadata(title, metadata, [`metadata.${field}`, `metadata.${field}`]);
  }),
);
/** The API server accepts capitals in the prefix of an annotation, but not in that of a label. */
const prefixRows = [
  isFine('capitals in the prefix of an annotation', { annotations: { 'Example.com/a': '' } }),
  isWrong.metadata('capitals in the prefix of a label', { labels: { 'Example.com/a': '' } }, [
    ...(['metadata.labels', 'metadata.labels'] as const),
  ]),
];

const labelValues: readonly (readonly [string, boolean])[] = [
  ['', true],
  ['a', true],
  ['A.b_c-9', true],
  [long(63), true],
  ['a b', false],
  ['-a', false],
  ['a.', false],
  ['a/b', false],
  [long(64), false],
];
const labelValueRows = labelValues.map(([value, ok]) => {
  const title = `the label ${JSON.stringify(value)}`;
  const metadata = { labels: { a: value } };
  return ok ? isFine(title, metadata) : isWrong.metadata(title, metadata, ['metadata.labels', 'metadata.labels']);
});

const LIMIT = 256 * 1024;
const annotationRows = [
  isFine('an annotation of any text', { annotations: { a: ' {"b": "å"}\n' } }),
  isFine('annotations of 256 KiB', { annotations: { a: long(LIMIT - 1) } }),
  isWrong.metadata('annotations of more than 256 KiB', { annotations: { a: long(LIMIT / 2), b: long(LIMIT / 2) } }, [
    ...(['metadata.annotations', 'metadata.annotations'] as const),
  ]),
  isWrong.metadata('annotations of more than 256 KiB in UTF-8', { annotations: { a: long(LIMIT / 2, 'å') } }, [
    ...(['metadata.annotations', 'metadata.annotations'] as const),
  ]),
];

const shapeRows = [
  isFine('empty labels', { labels: {} }),
  isFine('labels: null', { labels: null, annotations: null }),
  isFine('finalizers and owners', {
    finalizers: ['example.com/a'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }],
  }),
  isWrong.metadata('an unknown field', { lables: { a: 'b' } }, ['metadata.lables', 'unknown field "metadata.lables"']),
  isWrong.metadata('a label that is a boolean', { labels: { a: true } }, ['metadata.labels', 'labels']),
  isWrong.metadata('an annotation that is a number', { annotations: { a: 1 } }, [
    'metadata.annotations',
    'annotations',
  ]),
  isWrong.metadata('labels as a list', { labels: ['a'] }, ['metadata.labels', 'labels']),
  isWrong.metadata('a name that is a number', { name: 7 }, ['metadata.name', 'name']),
];

export const objectRows: readonly ObjectRow[] = [
  ...[...longNameRows, ...ownDependencyRows, ...noTypeRows, ...builtInRows],
  ...[...objectNameRows, ...keyRows, ...prefixRows, ...labelValueRows, ...annotationRows, ...shapeRows],
];

/** Names of namespaces, and whether a namespace can have each name. */
export const namespaceRows: readonly (readonly [string, boolean])[] = [
  ['rules-of-names', true],
  ['0-a', true],
  [long(63), true],
  ['Shop', false],
  ['shop.eu', false],
  ['shop_eu', false],
  ['-a', false],
  [long(64), false],
];
