/** The filter of a sink, compiled once. */
import type { JsonObject } from '../../model/json.ts';
import type { SinkFilter } from '../../schema/notification-sink.ts';
import type { Entry } from '../history/entry.ts';
import { compileExpression } from './expression.ts';

/** `event`: the entry as it is sent. */
type MatchesEntry = (entry: Entry, event: () => JsonObject) => boolean;

export type CompiledFilter = { readonly matches: MatchesEntry } | { readonly problem: string };

export function compileFilter({ projects, environments, types, expression }: SinkFilter = {}): CompiledFilter {
  const named = [among(projects, 'project'), among(environments, 'environment'), among(types, 'type')];
  const isNamed = (entry: Entry) => named.every((matches) => matches(entry));
  if (expression === undefined) return { matches: isNamed };
  const compiled = compileExpression(expression);
  if ('problem' in compiled) return compiled;
  return { matches: (entry, event) => isNamed(entry) && compiled.holds(event()) };
}

function among(values: readonly string[] | null | undefined, member: 'project' | 'environment' | 'type') {
  if (!values || values.length === 0) return () => true;
  const wanted = new Set<string | null>(values);
  return (entry: Entry) => wanted.has(entry[member]);
}
