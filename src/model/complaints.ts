/** Collects the findings of a state document, each with its place in the document such as `features[0].name`. */
import { type ErrorDetail, isRefusal, type PropertyDetail } from '../errors.ts';
import { invalid, MAX_DETAILS } from './invalid-input.ts';

type Keys = readonly string[];

export interface Complaints {
  add(keys: Keys, complaint: string, value?: string): void;
  /** Parses a part of the document; the findings are placed below `keys`. */
  below<T>(keys: Keys, parsePart: () => T): T | undefined;
  /** Returns a function that adds a finding for each item whose key it was called with before. */
  once(): (
    key: string,
    described: () => {
      readonly at: Keys;
      readonly value: unknown;
    },
  ) => void;
  /** Throws if there are any findings. */
  refuse(): void;
}

export function createComplaints(): Complaints {
  /** A little more than the answer lists: a document can cause a very large number of findings. */
  const found: PropertyDetail[] = [];
  const add = (keys: Keys, complaint: string, value?: string): void => {
    if (found.length < MAX_DETAILS) {
      found.push({ part: 'document', keys, complaint, ...(value !== undefined && { value }) });
    }
  };
  return {
    add,
    below<T>(keys: Keys, parsePart: () => T): T | undefined {
      try {
        return parsePart();
      } catch (error) {
        if (!isRefusal(error, 'invalid')) throw error;
        for (const one of error.details.filter(isOfProperty)) add([...keys, ...one.keys], one.complaint, one.value);
        return undefined;
      }
    },
    once() {
      const seen = new Set<string>();
      return (key: string, described: () => { readonly at: Keys; readonly value: unknown }): void => {
        if (!seen.has(key)) {
          seen.add(key);
          return;
        }
        const { at, value } = described();
        add(at, 'is there more than once.', JSON.stringify(value));
      };
    },
    refuse(): void {
      if (found.length > 0) throw invalid(found);
    },
  };
}

function isOfProperty(detail: ErrorDetail): detail is PropertyDetail {
  return 'complaint' in detail;
}
