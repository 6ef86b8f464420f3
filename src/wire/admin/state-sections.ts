/** Parses the sections of a state document in chunks: the complaints about a large one would fill the memory. */
import type { z } from 'zod';
import { MAX_DETAILS } from '../../model/invalid-input.ts';
import { refusalOfIssues } from '../parse-input.ts';
import { type StateDocument, stateDocument } from './state-input.ts';

const ROWS_AT_A_TIME = 100;

type Issue = z.core.$ZodIssue;

/** Some rows of one section. */
export interface StateRows {
  readonly section: string;
  readonly rows: readonly unknown[];
}

export interface StateParts {
  /** The document with empty sections. */
  readonly frame: StateDocument;
  readonly parts: readonly StateRows[];
}

/** Throws the first findings, with their places in the document. */
export function parseStateDocument(input: unknown): StateParts {
  const sections = sectionsOf(input);
  const empty = Object.fromEntries(sections.map(({ section }) => [section, []]));
  const issues: Issue[] = [];
  const frame = take(sections.length > 0 ? { ...(input as object), ...empty } : input, 0, issues);
  const parts: StateRows[] = [];
  for (const { section, rows } of sections.filter(({ section }) => Object.hasOwn(stateDocument.shape, section))) {
    for (let start = 0; start < rows.length && issues.length < MAX_DETAILS; start += ROWS_AT_A_TIME) {
      const parsed = take({ [section]: rows.slice(start, start + ROWS_AT_A_TIME) }, start, issues);
      parts.push({ section, rows: Reflect.get(parsed ?? {}, section) ?? [] });
    }
  }
  if (!frame || issues.length > 0) throw refusalOfIssues(issues, 'document');
  return { frame, parts };
}

export function putTogether({ frame, parts }: StateParts): StateDocument {
  for (const part of parts) addRows(frame, part);
  return frame;
}

export function addRows(frame: StateDocument, { section, rows }: StateRows): void {
  (Reflect.get(frame, section) as unknown[]).push(...rows);
}

function sectionsOf(input: unknown): readonly StateRows[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  return Object.entries(input).flatMap(([section, rows]) => (Array.isArray(rows) ? [{ section, rows }] : []));
}

/**
 * Undefined if the document does not match the schema; `issues` then contain the reason. `start` is the index of its
 * first row in the document.
 */
function take(input: unknown, start: number, issues: Issue[]): StateDocument | undefined {
  const { success, data, error } = stateDocument.safeParse(input, { reportInput: true });
  if (success) return data;
  issues.push(...error.issues.slice(0, MAX_DETAILS).map((issue) => moved(issue, start)));
  return undefined;
}

function moved(issue: Issue, start: number): Issue {
  const [section, index, ...rest] = issue.path;
  if (section === undefined || typeof index !== 'number') return issue;
  return { ...issue, path: [section, index + start, ...rest] };
}
