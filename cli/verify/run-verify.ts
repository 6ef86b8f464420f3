/** `vexil history verify`: verifies the hash chain over the history. */

import type { ChainPlace } from '../../src/domain/history/chain.ts';
import { type ChainLine, type ChainVerdict, createChainVerifier } from '../../src/domain/history/verify-chain.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { connectServer } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { EXIT, printableLine, type Terminal } from '../terminal.ts';

export interface VerifyOptions extends ServerOptions, OutputOptions {
  readonly head?: readonly ChainPlace[];
}

export async function runVerify(options: VerifyOptions, terminal: Terminal): Promise<void> {
  const server = await connectServer(options, terminal);
  const verifier = createChainVerifier(options.head);
  for await (const line of server.lines({ method: 'GET', path: '/history/chain' })) verifier.accept(parsedLine(line));
  const verdict = verifier.end();
  terminal.write(options.output === 'json' ? `${JSON.stringify(verdict, null, 2)}\n` : textOf(verdict));
  terminal.exit(verdict.found > 0 ? EXIT.findings : EXIT.ok);
}

/** Only the fields that the chain commits are used, and each is compared with its digest. */
function parsedLine(text: string): ChainLine {
  try {
    return JSON.parse(text) as ChainLine;
  } catch (error) {
    const what = 'Vexil answered a line that is no JSON: use the program of the same version';
    throw new Failure(what, EXIT.unavailable, error);
  }
}

function textOf({ findings, found, links, amended, gone, waiting, olderHeads, last }: ChainVerdict): string {
  const more = found > findings.length ? [`and ${found - findings.length} more`] : [];
  const sum = `${links} links, ${amended} rows amended, ${gone} rows gone by retention, ${waiting} rows not linked yet`;
  const older =
    olderHeads > 0 ? [`${plural(olderHeads, 'head is', 'heads are')} older than the chain: name a later one`] : [];
  const head = last === undefined ? [] : [`the chain ends at ${last.n}:${last.link}`];
  const lines = [...findings.map(({ problem, message }) => `${problem}: ${message}`), ...more, sum, ...older, ...head];
  return `${lines.map(printableLine).join('\n')}\n`;
}
