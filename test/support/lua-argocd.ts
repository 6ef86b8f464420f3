/** The results of the scripts of config/argocd in Argo CD: health, actions, and the patch of an action. */
import { readFile } from 'node:fs/promises';
import { LuaFactory } from 'wasmoon';
import { parse } from 'yaml';
import { mergePatchBetween } from './gitops/merge-patch.ts';
import type { Stored } from './stored.ts';

const CONFIG_MAP = new URL('../../config/argocd/argocd-cm.yaml', import.meta.url);

interface Health {
  readonly status: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  readonly message: string;
}

interface Action {
  readonly disabled: boolean;
  readonly displayName: string;
  readonly params?: readonly { readonly name: string; readonly default?: string }[];
}

export interface ArgoCd {
  health(object: Stored): Promise<Health>;
  /** The actions by name. */
  actions(object: Stored): Promise<Readonly<Record<string, Action>>>;
  /** The merge patch that Argo CD sends for an action; empty if it sends none. Throws the error of the script. */
  patchFor(action: string, object: Stored, params?: Readonly<Record<string, string>>): Promise<Stored>;
}

/** Reads the scripts that users install. */
export async function argoCd(): Promise<ArgoCd> {
  const { data } = parse(await readFile(CONFIG_MAP, 'utf8'));
  const setting = (what: string, { apiVersion, kind }: Stored): string => {
    const text = data[`resource.customizations.${what}.${apiVersion.split('/')[0]}_${kind}`];
    if (text === undefined) throw new Error(`there are no ${what} for ${kind}`);
    return text;
  };
  const actionsOf = (object: Stored) => parse(setting('actions', object));

  return {
    health: async (object) => (await runLua(setting('health', object), { obj: object, actionParams: {} })) as Health,
    actions: async (object) => {
      const script = actionsOf(object)['discovery.lua'];
      return (await runLua(script, { obj: object, actionParams: {} })) as Record<string, Action>;
    },
    async patchFor(action, object, params = {}) {
      const { definitions } = actionsOf(object);
      const script = definitions.find(({ name }: Stored) => name === action)['action.lua'];
      const changed = await runLua(script, { obj: object, actionParams: params });
      return mergePatchBetween(object, cleaned(changed, object));
    },
  };
}

/**
 * Lua does not distinguish an empty map from an empty list: if the script returns an empty one in place of a map, Argo
 * CD keeps the map from before.
 */
function cleaned(after: unknown, before: unknown): unknown {
  if (isEmpty(after) && isMap(before)) return before;
  if (Array.isArray(after) && Array.isArray(before)) return after.map((one, index) => cleaned(one, before[index]));
  if (!isMap(after) || !isMap(before)) return after;
  return Object.fromEntries(Object.entries(after).map(([key, value]) => [key, cleaned(value, before[key])]));
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Libraries that Argo CD does not open. Text has methods wherever Lua has its library, so these are removed too. */
const CLOSED = ['string', 'math', 'io', 'os', 'debug', 'coroutine', 'utf8', 'package', 'require', 'load', 'dofile'];
const PRELUDE = [`getmetatable("").__index = nil`, ...CLOSED.map((name) => `${name} = nil`)].join('\n');

const factory = new LuaFactory();

/**
 * Returns the result of the script, which has a state of its own, with only the base and table libraries. Tables
 * without entries are empty lists, as Argo CD reads them. Throws the error of the script.
 */
async function runLua(script: string, globals: Readonly<Record<string, unknown>>): Promise<unknown> {
  const engine = await factory.createEngine({ enableProxy: false });
  try {
    const given = Object.entries(globals).map(([name, value]) => `${name} = ${luaLiteral(value)}`);
    await engine.doString([...given, PRELUDE].join('\n'));
    return readTables(await engine.doString(script));
  } finally {
    engine.global.close();
  }
}

/** A value as an expression of Lua. Null is nil, so a member that is null is not there. */
function luaLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return luaText(value);
  if (typeof value !== 'object') return `${value}`;
  if (Array.isArray(value)) return `{${value.map(luaLiteral).join(', ')}}`;
  const members = Object.entries(value).map(([key, member]) => `[${luaText(key)}] = ${luaLiteral(member)}`);
  return `{${members.join(', ')}}`;
}

/** Text byte by byte, which every Lua reads in the same way. */
function luaText(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\${`${byte}`.padStart(3, '0')}`);
  return `"${bytes.join('')}"`;
}

function readTables(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(readTables);
  const members = Object.entries(value);
  if (members.length === 0) return [];
  return Object.fromEntries(members.map(([key, member]) => [key, readTables(member)]));
}
