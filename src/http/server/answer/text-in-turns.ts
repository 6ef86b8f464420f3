/** A text whose tag is known before it is made, in turns, when it is sent. */
import { bytesOf } from '../../../model/bytes.ts';
import type { Turn } from '../../../runtime/turns.ts';
import { joinInTurns } from './json-pieces.ts';
import { Representation } from './representation.ts';

interface TextInTurnsParts {
  readonly type: string;
  /** Differs whenever the text does. */
  readonly tag: string;
  readonly pieces: () => Iterator<string>;
}

/** A class, so that the server can distinguish it from a value. */
export class TextInTurns {
  /** The strong ETag, quotes included. */
  readonly etag: string;
  readonly represent: (turn: Turn) => Promise<Representation>;

  constructor({ type, tag, pieces }: TextInTurnsParts) {
    this.etag = `"${tag}"`;
    this.represent = async (turn) => new Representation(bytesOf(await joinInTurns(pieces(), turn)), tag, type);
  }
}
