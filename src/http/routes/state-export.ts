/** The answer of an export, streamed while it is written. */
import { setImmediate } from 'node:timers/promises';
import { readState, unreadableIn } from '../../actions/export-state.ts';
import type { ExportQuery } from '../../wire/admin/state-query.ts';
import { stateText } from '../../wire/admin/state-text.ts';
import type { RouteServices } from '../route/route.ts';
import { leftOutWarning } from '../route/warning.ts';
import { StreamedBody } from '../server/send-pieces.ts';

export async function exportState(services: RouteServices, query: ExportQuery): Promise<StreamedBody> {
  const state = await readState(services, query);
  const { format } = query;
  const warning = leftOutWarning(unreadableIn(state));
  return new StreamedBody({
    type: format === 'yaml' ? 'text/yaml; charset=utf-8' : 'application/json; charset=utf-8',
    headers: {
      ...(query.download && { 'Content-Disposition': attachment(format, services.now()) }),
      ...(warning !== undefined && { Warning: warning }),
    },
    read: () => inChunks(stateText(state, format)),
  });
}

/** The file name that Unleash uses, with the time in UTC. */
function attachment(format: ExportQuery['format'], now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-');
  return `attachment; filename="export-${time}.${format === 'yaml' ? 'yml' : 'json'}"`;
}

const PIECE_LENGTH = 65_536;

/** Yields to the event loop between two pieces. */
async function* inChunks(chunks: Iterable<string>): AsyncIterable<string> {
  let piece: string[] = [];
  let length = 0;
  for (const chunk of chunks) {
    piece.push(chunk);
    length += chunk.length;
    if (length < PIECE_LENGTH) continue;
    yield piece.join('');
    [piece, length] = [[], 0];
    await setImmediate();
  }
  yield piece.join('');
}
