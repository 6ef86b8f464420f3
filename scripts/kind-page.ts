/** Writes the reference page of a kind. */
import { API_VERSIONS, type Kind } from '../src/model/kind.ts';
import type { StructuralSchema } from '../src/schema/structural/structural-schema.ts';

interface Row {
  readonly path: string;
  readonly schema: StructuralSchema;
}

export function kindPage(kind: Kind<never, never> | Kind<unknown, unknown>, schema: StructuralSchema): string {
  const { spec, status } = schema.properties as { spec: StructuralSchema; status: StructuralSchema };
  const rules = [{ path: 'the object', schema }, ...rows('spec', spec)].flatMap(({ path, schema }) =>
    (schema['x-kubernetes-validations'] ?? []).map(({ message }) => `- \`${path}\`: ${message}`),
  );
  return [
    `# ${kind.kind}`,
    '',
    kind.description,
    '',
    `${API_VERSIONS.map((version) => `\`${version}\``).join(' and ')}, namespaced; \`kubectl get ${kind.shortNames[0]}\`, \`kubectl explain ${kind.shortNames[0]}.spec\`.`,
    ...(kind.selectableFields.length > 0
      ? [
          '',
          `Field selectors: ${kind.selectableFields.map((f) => `\`${f.slice(1)}\``).join(', ')}. They do not match objects without the field.`,
        ]
      : []),
    '',
    '## Spec',
    '',
    ...table(rows('spec', spec)),
    '',
    '## Rules',
    '',
    'The API server rejects objects that violate one of these rules, even if the operator is not running.',
    '',
    ...rules,
    '',
    '## Status',
    '',
    ...table(rows('status', status)),
    '',
  ].join('\n');
}

function rows(path: string, schema: StructuralSchema): Row[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, value]) => ({ path: `${path}.${name}`, schema: value })),
    ...(schema.additionalProperties ? [{ path: `${path}.<key>`, schema: schema.additionalProperties }] : []),
    ...(schema.items?.properties ? [{ path: `${path}[]`, schema: schema.items }] : []),
  ];
  return inner.flatMap((row) => [row, ...rows(row.path, row.schema)]);
}

function table(list: readonly Row[]): string[] {
  const described = list.filter(({ schema }) => schema.description !== undefined);
  return [
    '| Field | Type | Meaning |',
    '|---|---|---|',
    ...described.map(({ path, schema }) => `| \`${path}\` | ${typeOf(schema)} | ${cell(schema.description ?? '')} |`),
  ];
}

function typeOf(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.enum)
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => `\`${value}\``)
      .join(', ');
  const bound = boundOf(schema);
  const name = schema.additionalProperties
    ? 'map'
    : schema.type === 'array'
      ? (schema['x-kubernetes-list-type'] ?? 'list')
      : (schema.type ?? 'any');
  return `${name === 'atomic' ? 'list' : name}${bound}`;
}

function boundOf({ minimum, maximum, maxLength, maxItems, maxProperties }: StructuralSchema): string {
  if (minimum !== undefined && maximum !== undefined && maximum < 2147483647) return `, ${minimum} to ${maximum}`;
  const max = maxLength ?? maxItems ?? maxProperties;
  return max === undefined ? '' : `, at most ${max}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
