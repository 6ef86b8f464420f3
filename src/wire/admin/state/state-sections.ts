/** Parses the sections of a state document in batches of rows. */
import type { z } from 'zod';
import { MAX_DETAILS } from '../../../model/invalid-input.ts';
import { isRecord } from '../../../model/json.ts';
import { refusalOfIssues } from '../../parse-input.ts';
import { withRowNames } from './row-name.ts';
import { type StateDocument, stateDocument } from './state-input.ts';

/** The complaints about a whole document would fill the memory. */
export const ROWS_AT_A_TIME = 100;

type Issue = z.core.$ZodIssue;

/** Some rows of one section. */
export interface StateRows {
  readonly section: string;
  readonly rows: readonly unknown[];
}

/** Rows that are not checked yet. */
export interface DocumentRows extends StateRows {
  /** The index of the first of them in the document. */
  readonly start: number;
}

export interface DocumentPieces {
  /** The document with empty lists. */
  readonly frame: unknown;
  readonly batches: Iterable<DocumentRows>;
}

/** The pieces of a document that was parsed as a whole. */
export function piecesOf(document: unknown): DocumentPieces {
  const lists = listsIn(document);
  const empty = Object.fromEntries(lists.map(({ section }) => [section, []]));
  return { frame: lists.length > 0 ? { ...(document as object), ...empty } : document, batches: batchesOf(lists) };
}

function listsIn(document: unknown): readonly StateRows[] {
  if (!isRecord(document)) return [];
  return Object.entries(document).flatMap(([section, rows]) => (Array.isArray(rows) ? [{ section, rows }] : []));
}

function* batchesOf(lists: readonly StateRows[]): Iterable<DocumentRows> {
  for (const { section, rows } of lists) {
    for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME) {
      yield { section, start, rows: rows.slice(start, start + ROWS_AT_A_TIME) };
    }
  }
}

/**
 * Returns the document with empty sections, and passes on its rows. Throws the first findings, with their places in the
 * document.
 */
export function parseStateDocument(
  { frame: input, batches }: DocumentPieces,
  passOn: (part: StateRows) => void,
): StateDocument {
  const issues: Issue[] = [];
  const refused: DocumentRows[] = [];
  const frame = take(input, 0, issues);
  for (const { section, start, rows } of batches) {
    if (issues.length >= MAX_DETAILS) break;
    if (!Object.hasOwn(stateDocument.shape, section)) continue;
    const known = issues.length;
    const parsed = take({ [section]: rows }, start, issues);
    if (issues.length > known) refused.push({ section, start, rows });
    passOn({ section, rows: Reflect.get(parsed ?? {}, section) ?? [] });
  }
  return accepted(frame, issues, rowIn(refused));
}

function accepted(
  frame: StateDocument | undefined,
  issues: readonly Issue[],
  rowAt: (section: string, index: number) => unknown,
): StateDocument {
  if (frame && issues.length === 0) return frame;
  throw withRowNames(refusalOfIssues(issues, 'document'), rowAt);
}

function rowIn(batches: readonly DocumentRows[]) {
  return (section: string, index: number): unknown => {
    const batch = batches.find((one) => one.section === section && index - one.start in one.rows);
    return batch?.rows[index - batch.start];
  };
}

export function addRows(frame: StateDocument, { section, rows }: StateRows): void {
  (Reflect.get(frame, section) as unknown[]).push(...rows);
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
