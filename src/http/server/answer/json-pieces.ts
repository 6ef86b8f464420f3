/** Makes the JSON of an answer in pieces and in turns, so that the items of a tenant do not delay others. */
import { bytesOf } from '../../../model/bytes.ts';
import type { Turn } from '../../../runtime/turns.ts';
import { Representation, represent } from './representation.ts';
import { StreamedBody } from './send-pieces.ts';

/** The characters of an answer that is made whole, so that it can have an ETag. */
export const MAX_WHOLE = 500_000;
/** Small pieces are sent together. */
const PIECE_LENGTH = 65_536;
const JSON_TYPE = 'application/json; charset=utf-8';

/** A value with large lists becomes a stream; every other answer is sent whole. */
export async function answerInTurns(value: unknown, turn: Turn): Promise<Representation | StreamedBody> {
  if (!hasLists(value)) return represent(value);
  return answerPieces(jsonPieces(value), turn);
}

/** The pieces are those of JSON. */
export async function answerPieces(pieces: Iterator<string>, turn: Turn): Promise<Representation | StreamedBody> {
  const { text, isEnd } = await gather(pieces, turn, MAX_WHOLE);
  if (isEnd) return new Representation(bytesOf(text));
  return new StreamedBody({ type: JSON_TYPE, read: () => textInTurns(pieces, turn, text) });
}

function hasLists(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  return isList(value) || Object.values(value).some(isList);
}

/** Also one whose items are made when they are read, once. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** Joins texts, each made in its turn, to pieces that are worth sending. `before` comes first. */
export async function* textInTurns(texts: Iterator<string>, turn: Turn, before = ''): AsyncIterable<string> {
  if (before !== '') yield before;
  for (;;) {
    const { text, isEnd } = await gather(texts, turn, PIECE_LENGTH);
    if (text !== '') yield text;
    if (isEnd) return;
  }
}

/** Joins all texts, each made in its turn. */
export async function joinInTurns(texts: Iterator<string>, turn: Turn): Promise<string> {
  return (await gather(texts, turn, Number.POSITIVE_INFINITY)).text;
}

/** Joins texts until there are more than `enough` characters. Waits only for its turns, as there may be many texts. */
async function gather(texts: Iterator<string>, turn: Turn, enough: number): Promise<Gathered> {
  let text = '';
  for (;;) {
    const wait = turn();
    if (wait !== undefined) await wait;
    const { done, value } = texts.next();
    if (done) return { text, isEnd: true };
    text += value;
    if (text.length > enough) return { text, isEnd: false };
  }
}

interface Gathered {
  readonly text: string;
  /** Whether there are no more texts. */
  readonly isEnd: boolean;
}

/** Joined, the pieces are what `JSON.stringify` makes. A piece has an item of a list, or a member without a list. */
export function* jsonPieces(value: object): Generator<string, undefined> {
  if (isList(value)) return yield* listPieces('', value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    const head = `${before}${JSON.stringify(name)}:`;
    const text = isList(member) ? undefined : JSON.stringify(member);
    if (text !== undefined) yield head + text;
    else if (isList(member)) yield* listPieces(head, member);
    else continue;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
  return undefined;
}

function* listPieces(head: string, items: Iterable<unknown>): Generator<string, undefined> {
  let before = `${head}[`;
  for (const item of items) {
    yield `${before}${JSON.stringify(item) ?? 'null'}`;
    before = ',';
  }
  yield before === ',' ? ']' : `${before}]`;
  return undefined;
}
