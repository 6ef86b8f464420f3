/** Verifies segments of the exported history in a folder, without Vexil. */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChainPlace, retentionIn } from '../../src/domain/history/chain.ts';
import type { ChainFinding } from '../../src/domain/history/chain-finding.ts';
import { isHeaderOf, type SegmentName, segmentNameIn } from '../../src/domain/history/segment.ts';
import type { SignedHead } from '../../src/domain/history/signed-head.ts';
import {
  type ChainVerdict,
  type ChainVerifier,
  createChainVerifier,
  isChainLine,
} from '../../src/domain/history/verify-chain.ts';
import type { KnownHeads } from '../../src/domain/history/verify-heads.ts';
import { readJson, recordOf } from '../../src/model/json.ts';
import { Failure } from '../failure.ts';
import { reasonOf } from '../manifests/source.ts';
import { EXIT } from '../terminal.ts';

export interface SegmentsVerdict extends ChainVerdict {
  readonly segments: number;
}

/** Reads each file twice: heads and statements of retention are needed before the links that they are about. */
export async function verifySegments(folder: string, known: KnownHeads): Promise<SegmentsVerdict> {
  const names = await namesIn(folder);
  const scan: Scan = { heads: [], before: 0, headers: new Map(), findings: [] };
  for (const name of names) scanSegment(name, await readSegment(folder, name), scan);
  const findings = [...scan.findings, ...wrongBegin(names, scan.headers), ...wrongOrder(names, scan.headers)];
  const [first] = names;
  const start = { n: (first?.from ?? 1) - 1, link: String(scan.headers.get(first?.name ?? '')?.['link']) };
  const verifier = createChainVerifier({ ...known, isExport: true });
  verifier.accept({ line: 'start', ...start, before: scan.before });
  for (const head of scan.heads) verifier.accept({ line: 'head', ...head });
  let last: ChainPlace = start;
  for (const { name } of names) {
    const lines = linesIn(await readFile(join(folder, name), 'utf8'));
    const read = verifyLinks(lines, last, verifier);
    last = read.last;
    if (!read.isWhole) findings.push({ problem: 'segment-altered', n: last.n + 1, message: unreadable(name) });
  }
  verifier.accept({ line: 'end', ...last, waiting: 0, moved: false });
  const verdict = verifier.end();
  const found = verdict.found + findings.length;
  return { ...verdict, findings: [...findings, ...verdict.findings], found, segments: names.length };
}

async function namesIn(folder: string): Promise<readonly SegmentName[]> {
  const files = await readdir(folder).catch(cannotRead(folder));
  const names = files.flatMap((file) => segmentNameIn(file) ?? []);
  if (names.length > 0) return names.toSorted((a, b) => a.from - b.from || a.to - b.to);
  throw new Failure(`the folder ${folder} has no segments (history-….ndjson)`, EXIT.noInput);
}

function readSegment(folder: string, { name }: SegmentName): Promise<string> {
  const path = join(folder, name);
  return readFile(path, 'utf8').catch(cannotRead(path));
}

function cannotRead(path: string) {
  return (error: Error): never => {
    throw new Failure(`cannot read ${path}: ${reasonOf(error)}`, EXIT.noInput, error);
  };
}

function unreadable(name: string): string {
  return `the segment ${name} was altered: it has a line that Vexil did not write`;
}

type Line = ReturnType<typeof recordOf>;

/** An altered line may say anything. */
function linesIn(text: string): readonly Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => recordOf(readJson(line)));
}

interface Scan {
  readonly heads: SignedHead[];
  /** From which time on rows must be there, by the last statement of retention. */
  before: number;
  /** The first line of each segment, by name. */
  readonly headers: Map<string, Line>;
  readonly findings: ChainFinding[];
}

function scanSegment(name: SegmentName, text: string, scan: Scan): void {
  const [header = {}, ...lines] = linesIn(text);
  scan.headers.set(name.name, header);
  for (const line of lines) {
    const { n, link, at, key, signature, content } = line;
    if (line['line'] === 'head') scan.heads.push({ n, link, at, key, signature: String(signature) } as SignedHead);
    const isStatement = line['line'] === 'link' && line['kind'] === 'retention';
    if (isStatement) scan.before = Math.max(scan.before, retentionIn(String(content))?.before ?? 0);
  }
  if (hash('sha256', text) === name.digest && isHeaderOf(name, header)) return;
  const message = `the segment ${name.name} was altered: its content is not what its name says`;
  scan.findings.push({ problem: 'segment-altered', n: name.from, message });
}

/** The first segment says if another one was written before it. */
function wrongBegin([first]: readonly SegmentName[], headers: Scan['headers']): readonly ChainFinding[] {
  const previous = headers.get(first?.name ?? '')?.['previous'];
  if (first === undefined || previous === null || previous === undefined) return [];
  const message = `the segment ${previous}, which was written before ${first.name}, is missing`;
  return [{ problem: 'segment-missing', n: undefined, message }];
}

/** Segments that are missing, and segments that do not follow from the one before. */
function wrongOrder(names: readonly SegmentName[], headers: Scan['headers']): readonly ChainFinding[] {
  return names.slice(1).flatMap((name, index): readonly ChainFinding[] => {
    const before = names[index] ?? name;
    const [next, last] = [before.to + 1, name.from - 1];
    if (name.from > next) {
      const message = `links ${next} to ${last} are in no segment: a file before ${name.name} is missing`;
      return [{ problem: 'segment-missing', n: next, message }];
    }
    if (name.from === next && headers.get(name.name)?.['previous'] === before.name) return [];
    const message = `the segment ${name.name} was not written after ${before.name}: one of the two was inserted`;
    return [{ problem: 'segment-inserted', n: name.from, message }];
  });
}

/** Leaves out links that an earlier segment has, and those after a line that cannot be read. */
function verifyLinks(lines: readonly unknown[], from: ChainPlace, verifier: ChainVerifier) {
  let last = from;
  try {
    for (const line of lines.filter(isChainLine)) {
      if (line.line !== 'link' || line.n <= last.n) continue;
      verifier.accept(line);
      last = { n: line.n, link: line.link };
    }
    return { last, isWhole: true };
  } catch {
    return { last, isWhole: false };
  }
}
