/** The naming pattern of a project, matched in linear time whatever the pattern (RE2, as CEL does it). */
import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS | undefined>();
const MOST_REMEMBERED = 1000;

/** Whether the whole name matches; undefined: the pattern is no regular expression. */
export function matchesNaming(pattern: string, name: string): boolean | undefined {
  return compile(pattern)?.matches(name);
}

function compile(pattern: string): RE2JS | undefined {
  if (!compiled.has(pattern)) {
    if (compiled.size >= MOST_REMEMBERED) compiled.clear();
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
