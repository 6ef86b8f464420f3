/** The ConfigMap that remembers the highest id that was ever given, by kind. */
import { AppError, isAppError } from '../errors.ts';
import type { Ref } from '../schema/object.ts';
import { isRecord } from './raw-object.ts';
import type { Transport } from './transport.ts';

export interface IdMarks {
  /** By the plural of the kind. */
  readonly marks: Readonly<Record<string, number>>;
  /** Undefined: there is no such ConfigMap. */
  readonly version: string | undefined;
}

export interface IdMarksClient {
  read(signal?: AbortSignal): Promise<IdMarks>;
  /** Writes over exactly this version; throws if anybody else was faster. */
  write(marks: IdMarks['marks'], over: IdMarks, signal?: AbortSignal): Promise<IdMarks>;
}

const FIELD_MANAGER = 'vexil';

export function createIdMarks(transport: Transport, ref: Ref): IdMarksClient {
  const all = `/api/v1/namespaces/${ref.namespace}/configmaps`;
  const path = `${all}/${ref.name}`;
  const query = { fieldManager: FIELD_MANAGER };
  return {
    async read(signal) {
      try {
        return taken(ref, await transport.request({ method: 'GET', path, signal }));
      } catch (error) {
        if (isAppError(error, 'not-found')) return { marks: {}, version: undefined };
        throw error;
      }
    },
    async write(marks, { version }, signal) {
      const data = Object.fromEntries(Object.entries(marks).map(([plural, mark]) => [plural, `${mark}`]));
      if (version === undefined) {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data };
        return taken(ref, await transport.request({ method: 'POST', path: all, query, body, signal }));
      }
      // A patch, so that labels and annotations stay, which backups go by.
      const body = { metadata: { resourceVersion: version }, data };
      const contentType = 'application/merge-patch+json';
      return taken(ref, await transport.request({ method: 'PATCH', path, query, contentType, body, signal }));
    },
  };
}

/** Nothing is guessed: an id that is given twice harms more than one that has to wait. */
function taken({ namespace, name }: Ref, answer: unknown): IdMarks {
  const { metadata, data } = isRecord(answer) ? answer : {};
  const entries = Object.entries(isRecord(data) ? data : {}).map(([plural, text]) => [plural, Number(text)] as const);
  const odd = entries.find(([, mark]) => !Number.isSafeInteger(mark) || mark < 0);
  if (odd) {
    const message = `The ConfigMap ${namespace}/${name} says of ${odd[0]} what is no whole number: mend it, or delete it to start from the ids that objects have`;
    throw new AppError('invalid', message);
  }
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return { marks: Object.fromEntries(entries), version: typeof version === 'string' ? version : undefined };
}
