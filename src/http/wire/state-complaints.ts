/** What is wrong with a state document: every finding with its place in the document, as `features[0].name`. */
import { type ErrorDetail, isAppError } from '../../errors.ts';
import { about, inBrackets, invalid } from '../validation.ts';

type Keys = readonly string[];

const MOST_DETAILS = 20;

export function createComplaints() {
  /** Little more than the answer lists: a document can cause very many findings. */
  const found: ErrorDetail[] = [];
  const add = (keys: Keys, complaint: string): void => {
    if (found.length < MOST_DETAILS) found.push(about('body', keys, complaint));
  };
  return {
    add,
    /** Runs what may find parts of the document invalid; its places begin below `keys`. */
    below<T>(keys: Keys, look: () => T): T | undefined {
      try {
        return look();
      } catch (error) {
        if (!isAppError(error, 'invalid')) throw error;
        if (found.length < MOST_DETAILS) found.push(...error.details.map((detail) => moved(detail, keys)));
        return undefined;
      }
    },
    /** Complains of each item whose key one before it has. */
    repeated<T>(
      items: readonly T[],
      keysOf: (item: T) => { readonly key: string; readonly at: Keys; readonly value: unknown },
    ): void {
      const seen = new Set<string>();
      for (const item of items) {
        const { key, at, value } = keysOf(item);
        if (seen.has(key)) add(at, `is there more than once. You sent ${JSON.stringify(value)}.`);
        seen.add(key);
      }
    },
    /** Throws if there are any. */
    refuse(): void {
      if (found.length > 0) throw inBrackets(invalid(found.slice(0, MOST_DETAILS)));
    },
  };
}
export type Complaints = ReturnType<typeof createComplaints>;

const BODY = '/body';

function moved({ path = BODY, message }: ErrorDetail, keys: Keys): ErrorDetail {
  const rest = path.slice(BODY.length);
  const dotted = [...keys, ...rest.split('/').filter(Boolean)].join('.');
  return {
    path: [BODY, ...keys].join('/') + rest,
    message: message.replace(/^The (`[^`]*` property|body)/, `The \`${dotted}\` property`),
  };
}
