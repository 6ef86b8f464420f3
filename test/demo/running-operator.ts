/** The operator of the demo with its log. */
import { createWriteStream } from 'node:fs';
import { z } from 'zod';
import type { Say } from '../../scripts/tools/progress.ts';
import { startOperatorProgram } from '../support/operator-program.ts';

const SHOWN_LINES = 15;

export interface RunningOperator {
  /** The path of the file with everything that the operator writes. */
  readonly log: string;
  /** Rejects with the last log lines of the operator if it ends unexpectedly. */
  readonly failure: Promise<never>;
  stop(): Promise<void>;
}

export interface LaunchParts {
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly log: string;
  /** Receives the warnings and errors of the operator. */
  readonly say: Say;
}

/** Starts the operator without waiting until it is ready. */
export function launchOperator({ settings, log, say }: LaunchParts): RunningOperator {
  const file = createWriteStream(log, { mode: 0o600 });
  const lastLines: string[] = [];
  let isStopping = false;
  const operator = startOperatorProgram({
    settings,
    onLine: (line) => {
      file.write(`${line}\n`);
      lastLines.push(line);
      if (lastLines.length > SHOWN_LINES) lastLines.shift();
      const recorded = recordedOf(line);
      if (recorded !== undefined) say(`operator: ${recorded}`);
    },
  });
  const failure = operator.ended.then(({ code, signal }) => {
    file.end();
    if (isStopping) return new Promise<never>(() => undefined);
    const text = lastLines.map((line) => `  ${line}`).join('\n');
    throw new Error(`The operator ended by itself (${code ?? signal}). Its last lines:\n${text}`);
  });
  failure.catch(() => undefined);
  return {
    log,
    failure,
    async stop() {
      isStopping = true;
      await operator.stop();
    },
  };
}

const worthRecording = z.object({
  level: z.enum(['warn', 'error']),
  msg: z.string(),
  error: z.object({ message: z.string() }).optional(),
});

/** The part of the line that the user should see at once; undefined if there is none. */
function recordedOf(line: string): string | undefined {
  const { data: recorded } = worthRecording.safeParse(parsed(line));
  return recorded && [recorded.msg, recorded.error?.message].filter(Boolean).join(': ');
}

/** Node.js itself writes plain text, and a killed process may write half a line. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
