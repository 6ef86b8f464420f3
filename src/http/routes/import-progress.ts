/** The answer of an import that reports its progress while it runs: JSON lines, of which the last one is the result. */
import { setTimeout } from 'node:timers/promises';
import type { ImportProgress } from '../../actions/import-state-run.ts';
import type { RouteServices } from '../route/route.ts';
import { presentError } from '../server/answer/errors.ts';
import { linesOf } from '../server/answer/send-lines.ts';
import type { StreamedBody } from '../server/answer/send-pieces.ts';

type End = { readonly result: object } | { readonly error: unknown };

/** Starts the import. A refusal before the first line is answered with the status of its error. */
export function reportProgress(
  { logger, timings }: Pick<RouteServices, 'logger' | 'timings'>,
  start: (onProgress: (progress: ImportProgress) => void) => Promise<object>,
): StreamedBody {
  let latest: ImportProgress = { phase: 'checking', done: 0, writes: 0 };
  const ended = start((progress) => {
    latest = progress;
  }).then(
    (result): End => ({ result }),
    (error: unknown): End => ({ error }),
  );
  /** Undefined if the import continues. */
  const next = (): Promise<End | undefined> =>
    Promise.race([ended, setTimeout(timings.importProgressMs, undefined, { ref: false })]);
  async function* lines(): AsyncIterable<object> {
    let end = await next();
    if (end && 'error' in end) throw end.error;
    for (; !end; end = await next()) yield latest;
    if ('result' in end) yield { result: end.result };
    else yield { error: bodyOf(end.error) };
  }
  function bodyOf(error: unknown): object {
    const { status, id, body } = presentError(error);
    if (status >= 500) logger.error({ errorId: id, error }, 'state import: failed');
    return body;
  }
  return linesOf(lines, { ended });
}
