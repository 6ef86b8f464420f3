/** The answer of an export, streamed while it is written. */
import { readState, unreadableIn } from '../../actions/export-state.ts';
import { collectInTurns, nextTurn } from '../../runtime/turns.ts';
import type { ExportQuery } from '../../wire/admin/state/state-query.ts';
import { stateText } from '../../wire/admin/state/state-text.ts';
import type { RouteServices } from '../route/route.ts';
import { leftOutWarning } from '../route/warning.ts';
import { StreamedBody } from '../server/answer/send-pieces.ts';

export async function exportState(services: RouteServices, query: ExportQuery): Promise<StreamedBody> {
  const state = await readState(services, query);
  const { format } = query;
  const warning = leftOutWarning((await collectInTurns(unreadableIn(state))).flat());
  return new StreamedBody({
    type: format === 'yaml' ? 'text/yaml; charset=utf-8' : 'application/json; charset=utf-8',
    headers: {
      ...(query.download && { 'Content-Disposition': attachment(format, services.now()) }),
      ...(warning !== undefined && { Warning: warning }),
    },
    read: () => inPieces(stateText(state, format)),
  });
}

/** The file name that Unleash uses, with the time in UTC. */
function attachment(format: ExportQuery['format'], now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-');
  return `attachment; filename="export-${time}.${format === 'yaml' ? 'yml' : 'json'}"`;
}

const PIECE_LENGTH = 65_536;

/** Shares the turns of the event loop with requests. */
async function* inPieces(texts: Iterable<string>): AsyncIterable<string> {
  let piece: string[] = [];
  let length = 0;
  for (const text of texts) {
    piece.push(text);
    length += text.length;
    const turn = nextTurn();
    if (turn !== undefined) await turn;
    if (length < PIECE_LENGTH) continue;
    yield piece.join('');
    [piece, length] = [[], 0];
  }
  yield piece.join('');
}
