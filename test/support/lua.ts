/** Runs a Lua script as Argo CD does: in a state of its own, with only the base and table libraries. */
import { LuaFactory } from 'wasmoon';

/** Libraries that Argo CD does not open. Text has methods wherever Lua has its library, so these are removed too. */
const CLOSED = ['string', 'math', 'io', 'os', 'debug', 'coroutine', 'utf8', 'package', 'require', 'load', 'dofile'];
const PRELUDE = [`getmetatable("").__index = nil`, ...CLOSED.map((name) => `${name} = nil`)].join('\n');

const factory = new LuaFactory();

/**
 * Returns the result of the script. Tables without entries are empty lists, as Argo CD reads them. Throws the error of
 * the script.
 */
export async function runLua(script: string, globals: Readonly<Record<string, unknown>>): Promise<unknown> {
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
