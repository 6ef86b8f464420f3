/** Reads server-sent events (HTML Living Standard §9.2). */

export interface ReceivedEvent {
  /** The last id that the stream has given; empty if it has given none. */
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

interface EventReader {
  /** Of one event. */
  readonly limitBytes: number;
  /** Called with the text of each comment. */
  readonly onComment: (text: string) => void;
}

/** Yields undefined for each piece without a complete event: the stream lives. Throws if an event is too long. */
export async function* readEvents(
  body: AsyncIterable<Buffer>,
  { limitBytes, onComment }: EventReader,
): AsyncGenerator<ReceivedEvent | undefined> {
  const linesIn = lineReader();
  const state: EventState = { id: '', name: '', data: [], onComment };
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limitBytes) throw new Error(`an event has more than ${limitBytes} bytes`);
    const events = linesIn(piece).flatMap((line) => take(state, line) ?? []);
    if (events.length > 0) length = 0;
    yield* events.length > 0 ? events : [undefined];
  }
}

/** Returns a function that returns the lines that a piece completes. */
function lineReader(): (piece: Buffer) => readonly string[] {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  return (piece) => {
    const text = decoder.decode(piece, { stream: true });
    rest.push(text);
    // Pieces of a long line are joined once.
    if (!/[\r\n]/.test(text)) return [];
    // A CR at the end may be the first half of a line break.
    const lines = rest.join('').split(/\r\n|\n|\r(?!$)/);
    rest = lines.splice(-1);
    return lines;
  };
}

interface EventState {
  id: string;
  name: string;
  data: string[];
  readonly onComment: EventReader['onComment'];
}

/** Returns the event that an empty line completes. */
function take(state: EventState, line: string): ReceivedEvent | undefined {
  if (line === '') {
    const { id, name, data } = state;
    Object.assign(state, { name: '', data: [] });
    return data.length === 0 ? undefined : { id, name: name || 'message', data: data.join('\n') };
  }
  const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (field === '') state.onComment(value);
  else if (field === 'data') state.data.push(value);
  else if (field === 'event') state.name = value;
  else if (field === 'id' && !value.includes('\0')) state.id = value;
  return undefined;
}
