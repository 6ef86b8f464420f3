/** Generates the chart's part of the settings from src/config/settings.ts. */
import { RE2JS } from 're2js';
import { z } from 'zod';
import { factsOf, type SettingName, settingNames, settings } from '../../src/config/settings.ts';
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { namedTemplate } from './template.ts';

/** Settings that have no key in `config`, with the value to set instead. */
export const elsewhere: Readonly<Record<string, string>> = {
  VEXIL_NAMESPACE: 'the namespace of the release',
  VEXIL_WATCH_NAMESPACES: '`watch.namespaces`',
  VEXIL_HTTP_PORT: '`service.port`',
  VEXIL_OPS_PORT: '`service.opsPort`',
  VEXIL_TLS_CERT_FILE: '`tls.secretName`',
  VEXIL_TLS_KEY_FILE: '`tls.secretName`',
  VEXIL_AUTH: '`auth`',
  VEXIL_ADMIN_TOKEN: '`adminToken`',
  VEXIL_OIDC_CLIENT_SECRET: '`oidcClientSecret`',
  VEXIL_ENVIRONMENT_PERMISSIONS: '`admission.environmentPermissions`',
  VEXIL_AUDIT_URL: '`audit.sqlite` and `audit.postgres`',
  VEXIL_AUDIT_RETENTION: '`audit.retention`',
  VEXIL_AUDIT_LOG_PORT: '`audit.log.receiver.secretName`',
  VEXIL_AUDIT_LOG_TLS_CERT_FILE: '`audit.log.receiver.secretName`',
  VEXIL_AUDIT_LOG_TLS_KEY_FILE: '`audit.log.receiver.secretName`',
  VEXIL_AUDIT_LOG_TOKEN_FILE: '`audit.log.receiver.token`',
  VEXIL_AUDIT_LOG_CLIENT_CA_FILE: '`audit.log.receiver.clientCa`',
  VEXIL_AUDIT_LOG_FILE: '`audit.log.file`',
  VEXIL_HISTORY_SIGNING_KEY_FILE: '`audit.signing.secretName`',
  VEXIL_HISTORY_EXPORT_URL: '`audit.export.url`',
  KUBECONFIG: 'the ServiceAccount of the pod',
};

const configured = settingNames.filter((name) => elsewhere[name] === undefined);

/** The key of a variable in `config`: `VEXIL_LOG_LEVEL` is `logLevel`. */
export function keyOf(name: string): string {
  const words = name.replace(/^VEXIL_/, '').toLowerCase();
  return words.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the named templates with the variable of each key in `config`, and with the keys that accept `off`. */
export function chartSettings(): string {
  const variables = Object.fromEntries(configured.map((name) => [keyOf(name), name]));
  const switchable = configured.filter((name) => formsOf(name).some(({ const: only }) => only === 'off')).map(keyOf);
  return [
    namedTemplate('vexil.settings', writeYaml(variables).trimEnd()),
    namedTemplate('vexil.switchable', writeYaml(switchable).trimEnd()),
  ].join('\n');
}

interface ConfigRow {
  readonly key: string;
  readonly name: SettingName;
  readonly description: string;
  readonly allowed: string;
}

/** Describes the keys of `config`, in the order of the settings. */
export function configRows(): readonly ConfigRow[] {
  return configured.map((name) => ({ key: keyOf(name), name, ...factsOf(name) }));
}

/** Returns the JSON Schema of `config`. */
export function configSchema(): object {
  const properties = Object.fromEntries(configured.map((name) => [keyOf(name), schemaOf(name)]));
  return { type: 'object', additionalProperties: false, properties };
}

type JsonSchema = Record<string, unknown>;
const defaults: Readonly<Record<string, unknown>> = settings.parse({});

function schemaOf(name: SettingName): JsonSchema {
  const { description, allowed } = factsOf(name);
  const about = { description: `${description} Allowed: ${allowed}.` };
  if (typeof defaults[name] === 'boolean') return { ...about, type: 'boolean' };
  const forms = formsOf(name).map((form) => ofText(form, allowed.includes('commas')));
  return { ...about, ...(forms.length > 1 ? { anyOf: forms } : forms[0]) };
}

/** The allowed forms of a variable. */
function formsOf(name: SettingName): readonly JsonSchema[] {
  const text = z.toJSONSchema(settings.shape[name], { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return (text['anyOf'] as JsonSchema[] | undefined) ?? [text];
}

/**
 * The schema of one form, as far as Helm can check it: its patterns are RE2. Numbers need no quotes, and a
 * comma-separated list may be a YAML list. The operator checks the rest when it starts.
 */
function ofText({ enum: values, const: only, pattern }: JsonSchema, isList: boolean): JsonSchema {
  if (values !== undefined) return { enum: values };
  // Helm reads YAML 1.1, where an `off` without quotes is false.
  if (only === 'off') return { enum: ['off', false] };
  if (only !== undefined) return { const: only };
  if (typeof pattern === 'string' && isRe2(pattern)) return { type: ['string', 'integer'], pattern };
  return isList ? { type: ['string', 'array'], items: { type: 'string' } } : { type: 'string' };
}

function isRe2(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
