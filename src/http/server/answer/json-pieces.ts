/** Makes the JSON of an answer in pieces and in turns, so that the items of a tenant do not delay others. */
import { bytesOf } from '../../../model/bytes.ts';
import { inTurn, type Turn, turnsOfRequest } from '../../../runtime/turns.ts';
import { Representation, represent } from './representation.ts';
import { StreamedBody } from './send-pieces.ts';

/** The characters of an answer that is made whole, so that it can have an ETag. */
const MAX_WHOLE = 4_000_000;
/** Small pieces are sent together. */
const PIECE_LENGTH = 65_536;
const JSON_TYPE = 'application/json; charset=utf-8';

/** A value with large lists becomes a stream; every other answer is sent whole. */
export async function answerInTurns(value: unknown): Promise<Representation | StreamedBody> {
  if (!hasLists(value)) return represent(value);
  const turn = turnsOfRequest();
  const pieces = jsonPieces(value);
  let text = '';
  for await (const piece of inTurns(pieces, turn)) {
    text += piece;
    if (text.length > MAX_WHOLE)
      return new StreamedBody({ type: JSON_TYPE, read: () => textInTurns(pieces, turn, text) });
  }
  return new Representation(bytesOf(text));
}

function hasLists(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  return Array.isArray(value) || Object.values(value).some(Array.isArray);
}

/** Joins texts, each made in its turn, to pieces that are worth sending. `before` comes first. */
export async function* textInTurns(texts: Iterator<string>, turn: Turn, before = ''): AsyncIterable<string> {
  let piece = before;
  for await (const text of inTurns(texts, turn)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function* inTurns(texts: Iterator<string>, turn: Turn): AsyncIterable<string> {
  for (;;) {
    const { done, value } = await inTurn(turn, () => texts.next());
    if (done) return;
    yield value;
  }
}

/** Joined, the pieces are what `JSON.stringify` makes. A piece has an item of a list, or a member without a list. */
export function* jsonPieces(value: object): Generator<string, undefined> {
  if (Array.isArray(value)) return yield* listPieces('', value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    const head = `${before}${JSON.stringify(name)}:`;
    const text = Array.isArray(member) ? undefined : JSON.stringify(member);
    if (text !== undefined) yield head + text;
    else if (Array.isArray(member)) yield* listPieces(head, member);
    else continue;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
  return undefined;
}

function* listPieces(head: string, items: readonly unknown[]): Generator<string, undefined> {
  let before = `${head}[`;
  for (const item of items) {
    yield `${before}${JSON.stringify(item) ?? 'null'}`;
    before = ',';
  }
  yield items.length === 0 ? `${before}]` : ']';
  return undefined;
}
