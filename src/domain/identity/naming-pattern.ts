/** The naming pattern of a project, matched by RE2 as in CEL, in linear time for every pattern. */
import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS | undefined>();
const MAX_COMPILED = 1000;

/** Whether the whole name matches; undefined if RE2 does not accept the pattern. */
export function matchesNaming(pattern: string, name: string): boolean | undefined {
  return compile(pattern)?.matches(name);
}

function compile(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(pattern, tryCompile(pattern));
  }
  return compiled.get(pattern);
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
