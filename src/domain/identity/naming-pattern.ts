/** The naming pattern of a project, matched by RE2 as in CEL, in linear time for every pattern. */
import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS | undefined>();
/** The bound of all compiled patterns together, in instructions of some 100 bytes. A usual pattern has a few dozen. */
const MAX_INSTRUCTIONS = 200_000;
/** The memory of an entry without its program, as a number of instructions. */
const ENTRY_INSTRUCTIONS = 10;
let instructions = 0;

/** Whether the whole name matches; undefined if RE2 does not accept the pattern. */
export function matchesNaming(pattern: string, name: string): boolean | undefined {
  return compile(pattern)?.matches(name);
}

function compile(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) keep(pattern, tryCompile(pattern));
  return compiled.get(pattern);
}

function keep(pattern: string, fresh: RE2JS | undefined): void {
  const size = ENTRY_INSTRUCTIONS + (fresh?.programSize() ?? 0);
  if (instructions + size > MAX_INSTRUCTIONS) {
    compiled.clear();
    instructions = 0;
  }
  compiled.set(pattern, fresh);
  instructions += size;
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
