/** Generates the part of the chart vexil-edge about settings from src/edge/setting-table.ts. */
import { edgeSettings, type Setting } from '../../../src/edge/setting-table.ts';
import { refusedOptions } from '../../../src/edge/unleash-edge-options.ts';
import { writeYaml } from '../../../src/model/yaml/yaml.ts';
import { namedTemplate } from '../template.ts';

/** Settings that have no key in `config`, by their first variable, with the value to set instead. */
export const edgeElsewhere: Readonly<Record<string, string>> = {
  VEXIL_EDGE_UPSTREAM_URL: 'upstream.urls',
  VEXIL_EDGE_FROM: 'upstream.urls, because the chart is for an edge with an upstream',
  VEXIL_EDGE_TOKENS: 'tokens.existingSecret',
  VEXIL_EDGE_TOKENS_FILE: 'tokens.existingSecret',
  VEXIL_EDGE_BACKUP_FOLDER: 'backup',
  VEXIL_EDGE_INSTANCE_ID: 'nothing, because the name of each pod is used',
  VEXIL_EDGE_INTERFACE: 'nothing, because each pod listens on all of its addresses',
  VEXIL_EDGE_PORT: 'service.port',
  VEXIL_EDGE_TLS_SERVER_CERT: 'tls.secretName',
  VEXIL_EDGE_TLS_SERVER_KEY: 'tls.secretName',
  VEXIL_EDGE_UPSTREAM_CERTIFICATE_FILE: 'upstream.ca.existingSecret',
  VEXIL_EDGE_CLIENT_CERTIFICATE_FILE: 'upstream.clientCertificate.secretName',
  VEXIL_EDGE_CLIENT_KEY_FILE: 'upstream.clientCertificate.secretName',
  VEXIL_EDGE_CUSTOM_CLIENT_HEADERS: 'upstream.headers.existingSecret',
};

interface EdgeConfigRow {
  readonly key: string;
  readonly variable: string;
  readonly description: string;
  /** Empty: none. */
  readonly byDefault: string;
}

const all: readonly Setting[] = Object.values(edgeSettings);
const variableOf = ({ variables: [first = ''] }: Setting): string => first;
const configured = all.filter((setting) => edgeElsewhere[variableOf(setting)] === undefined);

/** The key in `config`: that of `VEXIL_EDGE_LOG_LEVEL` is `logLevel`. */
function keyOf(setting: Setting): string {
  const words = variableOf(setting)
    .replace(/^VEXIL_EDGE_/, '')
    .toLowerCase();
  return words.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Describes the keys of `config`, in the order of the settings. */
export function edgeConfigRows(): readonly EdgeConfigRow[] {
  return configured.map((setting) => ({
    key: keyOf(setting),
    variable: variableOf(setting),
    description: setting.description,
    byDefault: setting.default ?? '',
  }));
}

/**
 * Returns the named templates with the variable of each key in `config`, and with what to use instead of each variable
 * that the edge reads or refuses.
 */
export function edgeChartSettings(): string {
  const variables = Object.fromEntries(configured.map((setting) => [keyOf(setting), variableOf(setting)]));
  const instead = all.flatMap((setting) => {
    const value = edgeElsewhere[variableOf(setting)] ?? `config.${keyOf(setting)}`;
    return setting.variables.map((name) => [name, `use ${value}`] as const);
  });
  return [
    namedTemplate('vexil-edge.settings', writeYaml(variables).trimEnd()),
    namedTemplate('vexil-edge.instead', writeYaml({ ...Object.fromEntries(instead), ...refusedOptions }).trimEnd()),
  ].join('\n');
}

type JsonSchema = Readonly<Record<string, unknown>>;

const wholeNumber = { type: ['string', 'integer'], pattern: '^[1-9][0-9]{0,8}$', minimum: 1 };
const list = { type: ['string', 'array'], items: { type: 'string' } };
/** By the placeholder of the option, as far as Helm can check values. The edge checks the rest when it starts. */
const shapes: Readonly<Record<string, JsonSchema>> = {
  duration: { type: 'string', pattern: '^[0-9]{1,6}(ms|s|m|h|d)$' },
  seconds: wholeNumber,
  number: wholeNumber,
  level: { enum: ['error', 'warn', 'info', 'debug'] },
  origins: list,
  proxies: { ...list, type: ['string', 'integer', 'array'], minimum: 0, maximum: 100 },
  path: { type: 'string', pattern: '^(/[A-Za-z0-9_.~-]+)*/?$' },
};

/** Returns the JSON Schema of `config`. */
export function edgeConfigSchema(): object {
  const properties = Object.fromEntries(configured.map((setting) => [keyOf(setting), schemaOf(setting)]));
  return { type: 'object', additionalProperties: false, properties };
}

function schemaOf({ flags, description, isSwitch }: Setting): JsonSchema {
  if (isSwitch) return { description, type: 'boolean' };
  const shape = shapes[/<(\w+)>/.exec(flags)?.[1] ?? ''];
  if (shape === undefined) throw new Error(`the chart knows no values for ${flags}: name its shape, or its own value`);
  return { description, ...shape };
}
