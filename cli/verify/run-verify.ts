/** `vexil history verify`: verifies the hash chain over the history. */

import type { ChainPlace } from '../../src/domain/history/chain.ts';
import {
  type ChainLine,
  type ChainVerdict,
  type ChainVerifier,
  createChainVerifier,
  isChainLine,
} from '../../src/domain/history/verify-chain.ts';
import type { KnownHeads } from '../../src/domain/history/verify-heads.ts';
import { readJson } from '../../src/model/json.ts';
import type { OutputOptions, ServerOptions } from '../connection/options.ts';
import { connectServer, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { reasonOf } from '../manifests/source.ts';
import { plural } from '../plural.ts';
import { EXIT, jsonText, printableLines, type Terminal } from '../terminal.ts';
import { readPublicKeys } from './public-keys.ts';
import { type SegmentsVerdict, verifySegments } from './segments.ts';

export interface VerifyOptions extends ServerOptions, OutputOptions {
  readonly head?: readonly ChainPlace[];
  /** Files. */
  readonly publicKey?: readonly string[];
  /** A folder; absent: the history of Vexil is verified. */
  readonly segments?: string;
}

export async function runVerify(options: VerifyOptions, terminal: Terminal): Promise<void> {
  const publicKeys = await readPublicKeys(options.publicKey ?? []);
  const known = { heads: options.head ?? [], publicKeys };
  const verdict =
    options.segments === undefined
      ? await verifyServed(await connectServer(options, terminal), known)
      : await verifySegments(options.segments, known);
  terminal.write(options.output === 'json' ? jsonText(verdict) : textOf(verdict));
  terminal.exit(verdict.found > 0 ? EXIT.findings : EXIT.ok);
}

const MAX_READS = 5;

/** Reads the chain again if something was found and the chain was changed on purpose meanwhile. */
async function verifyServed(server: ServerConnection, known: KnownHeads): Promise<ChainVerdict> {
  for (let reads = 1; ; reads += 1) {
    const verifier = createChainVerifier(known);
    for await (const text of server.lines({ method: 'GET', path: '/history/chain' })) {
      const line = parsedLine(text);
      accept(verifier, line);
      if (line.line === 'end') break;
    }
    const verdict = verifier.end();
    if (verdict.found === 0 || !verdict.moved || reads === MAX_READS) return verdict;
  }
}

/** Only the fields that the chain commits are used, and each is compared with its digest. */
function parsedLine(text: string): ChainLine {
  const line = readJson(text);
  if (isChainLine(line)) return line;
  throw new Failure('Vexil answered a line of another form: use the program of the same version', EXIT.unavailable);
}

/** A server may answer anything. */
function accept(verifier: ChainVerifier, line: ChainLine): void {
  try {
    verifier.accept(line);
  } catch (error) {
    throw new Failure(`Vexil answered a line that cannot be verified: ${reasonOf(error)}`, EXIT.unavailable, error);
  }
}

function textOf(verdict: ChainVerdict & Partial<SegmentsVerdict>): string {
  const { findings, found, links, amended, gone, waiting, last, moved, segments } = verdict;
  const more = found > findings.length ? [`and ${found - findings.length} more`] : [];
  const sum = `${links} links, ${amended} rows amended, ${gone} rows gone by retention, ${waiting} rows not linked yet`;
  const lines = [
    ...findings.map(({ problem, message }) => `${problem}: ${message}`),
    ...more,
    ...(found > 0 && moved ? ['the history was changed on purpose while it was read: verify again later'] : []),
    ...(segments === undefined ? [] : [plural(segments, 'segment')]),
    sum,
    ...headsText(verdict),
    ...(last === undefined ? [] : [`the chain ends at ${last.n}:${last.link}`]),
  ];
  return printableLines(lines);
}

function headsText({ olderHeads, signed, signedHeads, last }: ChainVerdict): readonly string[] {
  const older =
    olderHeads > 0 ? [`${plural(olderHeads, 'head is', 'heads are')} older than the chain, and not compared`] : [];
  if (signed === undefined) return older;
  const { n, at, key } = signed;
  const rest = plural((last?.n ?? n) - n, 'later link is', 'later links are');
  const heads = plural(signedHeads, 'signed head');
  return [
    ...older,
    `${heads}, the last one at link ${n} of ${new Date(at).toISOString()} with key ${key}; ${rest} not signed yet`,
  ];
}
