/** Reads a JSON document piece by piece: parsed as a whole, it takes many times the memory of its bytes. */
import { isUtf8 } from 'node:buffer';
import {
  type DocumentPieces,
  type DocumentRows,
  piecesOf,
  ROWS_AT_A_TIME,
} from '../../../wire/admin/state/state-sections.ts';
import { checked, unreadable } from '../../../wire/check-values.ts';
import { BYTE_ORDER_MARK, decodeBody } from './decode-body.ts';
import { type SplitJson, splitJson } from './split-json.ts';
import { parseJson, parseRows } from './unambiguous-json.ts';

/** The rows are parsed when they are reached, and invalid ones throw then. */
export function piecesOfJson(bytes: Uint8Array): DocumentPieces {
  const text = withoutMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const split = isUtf8(text) ? splitJson(text, ROWS_AT_A_TIME) : undefined;
  const whole = () => parseJson(decodeBody(bytes));
  if (!split) return piecesOf(checked(whole()));
  const parts = split.frame.map(([from, to]) => text.toString('utf8', from, to));
  return { frame: checked(frameIn(parts.join(''), whole)), batches: batchesIn(text, split, whole) };
}

function withoutMark(text: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return text.subarray(0, length).equals(BYTE_ORDER_MARK) ? text.subarray(length) : text;
}

/** An error is reported with its place in the whole document, which is parsed only for that. */
function frameIn(frame: string, whole: () => unknown): unknown {
  try {
    return parseJson(frame);
  } catch (error) {
    whole();
    throw error;
  }
}

function* batchesIn(text: Buffer, { batches }: SplitJson, whole: () => unknown): Iterable<DocumentRows> {
  for (const { name, start, rows: span } of batches) {
    const section = String(JSON.parse(text.toString('utf8', ...name)));
    const rows = parseRows(text.toString('utf8', ...span), { section, start });
    if (!rows || (rows.length === 0 && start > 0)) {
      whole();
      throw unreadable('The body is not valid JSON.');
    }
    for (const [index, row] of rows.entries()) checked(row, [section, start + index]);
    yield { section, start, rows };
  }
}
