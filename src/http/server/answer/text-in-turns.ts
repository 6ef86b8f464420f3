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
  readonly #parts: TextInTurnsParts;

  constructor(parts: TextInTurnsParts) {
    this.etag = `"${parts.tag}"`;
    this.#parts = parts;
  }

  async represent(turn: Turn): Promise<Representation> {
    const { type, tag, pieces } = this.#parts;
    return new Representation(bytesOf(await joinInTurns(pieces(), turn)), tag, type);
  }
}
