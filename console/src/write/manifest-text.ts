/** Manifests for what the admin API does not change, as YAML to commit. */

type Value = string | number | boolean | readonly string[] | { readonly [key: string]: Value | undefined };
type Fields = { readonly [key: string]: Value | undefined };

const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/;
/** Texts that are the same text without quotes. */
const PLAIN = /^[A-Za-z](?:[\w .-]*\w)?$/;
const WORDS_OF_YAML = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

interface Described {
  readonly kind: string;
  /** On the wire. */
  readonly name: string;
  /** The field of the spec that holds a name which no object can have. */
  readonly nameField?: string;
  readonly spec: Fields;
}

export function manifestText({ kind, name, nameField = 'name', spec }: Described): string {
  const isObjectName = OBJECT_NAME.test(name);
  return linesOf({
    apiVersion: 'vexil.dev/v1alpha1',
    kind,
    metadata: { name: isObjectName ? name : 'NAME' },
    spec: { ...(!isObjectName && { [nameField]: name }), ...spec },
  }).join('\n');
}

function linesOf(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return [`${textOf(key)}: [${value.map(textOf).join(', ')}]`];
    if (typeof value !== 'object') return [`${textOf(key)}: ${textOf(value)}`];
    return [`${textOf(key)}:`, ...linesOf(value as Fields).map((line) => `  ${line}`)];
  });
}

/** JSON is YAML. */
function textOf(value: string | number | boolean): string {
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !WORDS_OF_YAML.test(value);
  return isPlain ? value : JSON.stringify(value);
}
