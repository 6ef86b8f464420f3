/** Judges the first event of a stream by the API document. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer } from './caller.ts';
import type { Operation, Schema } from './operations.ts';
import type { Resolved } from './resolve.ts';

interface Described {
  /** The allowed names of the event. `undefined` is an event without a name. */
  readonly names: readonly (string | undefined)[];
  /** The operation whose answer the data must be. */
  readonly isAnswerOf?: string;
}

/** The first event of each stream, as the descriptions of the operations say in words. */
const firstEvents: Readonly<Record<string, Described>> = {
  getApiClientStreaming: { names: ['unleash-connected'], isAnswerOf: 'getApiClientDelta' },
  getChanges: { names: ['connected', 'resync'] },
  getOfrepV1Streams: { names: [undefined] },
};

const FIELD = /^(id|event|data): (.*)$/;

interface JudgeParts {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly validatorFor: (schema: Schema) => ValidateFunction;
}

export function complaintsOfStream(parts: JudgeParts, { operation }: Resolved, { status, text }: Answer): string[] {
  if (!operation.streams || status > 299) return [];
  const described = firstEvents[operation.id];
  if (!described) return ['is a stream whose first event is not known'];
  const end = text.indexOf('\n\n');
  if (end < 0) return ['has no whole event'];
  const lines = text.slice(0, end).split('\n');
  const strange = lines.filter((line) => !FIELD.test(line)).map((line) => `has an event with the line ${line}`);
  const found = lines.flatMap((line) => [FIELD.exec(line) ?? []]);
  const fields = new Map(found.map(([, name = '', value = '']) => [name, value]));
  return [...strange, ...complaintsOfEvent(parts, fields, described)];
}

function complaintsOfEvent(
  { operations, validatorFor }: JudgeParts,
  fields: ReadonlyMap<string, string>,
  { names, isAnswerOf = '' }: Described,
): string[] {
  const [id, name, data] = ['id', 'event', 'data'].map((field) => fields.get(field));
  const schema = operations.get(isAnswerOf)?.answer ?? {};
  return [
    ...(id ? [] : ['has an event without an id']),
    ...(names.includes(name) ? [] : [`has ${name} as its first event`]),
    ...(data === undefined || fits(validatorFor(schema), data) ? [] : ['has an event with other data']),
  ];
}

function fits(isValid: ValidateFunction, text: string): boolean {
  try {
    return isValid(JSON.parse(text)) === true;
  } catch {
    return false;
  }
}
