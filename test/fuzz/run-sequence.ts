/** Runs one sequence of requests, from the same beginning each time; the first failure ends it. */
import { isDeepStrictEqual } from 'node:util';
import type { promiseOf } from '../support/api-promise.ts';
import { writtenOf } from '../support/instance.ts';
import { type Answer, curlOf, type Request } from './caller.ts';
import type { AnyCase } from './cases.ts';
import { complaintsOf } from './judge-answer.ts';
import { complaintsOfStream } from './judge-stream.ts';
import { complaintsOfEcho, complaintsOfReading } from './read-back.ts';
import { type Resolved, type ResolveParts, resolve } from './resolve.ts';
import type { Tally } from './tally.ts';
import type { StoredFlag } from './world.ts';

export interface SequenceParts extends ResolveParts {
  readonly url: string;
  readonly promise: ReturnType<typeof promiseOf>;
  readonly tally: Tally;
}

/**
 * A wrong answer, with how to send the same requests again. Any other error means that the operator does not answer any
 * more.
 */
export class Finding extends Error {}

export async function runSequence(parts: SequenceParts, cases: readonly AnyCase[]): Promise<void> {
  const { world } = parts;
  await world.reset();
  const before = await world.look();
  const course: Course = { flags: new Map(world.flags), writes: new Map(), sent: [] };
  const report = (complaints: readonly string[]) => {
    if (complaints.length > 0) throw new Finding([...complaints, ...toRepeat(parts, course)].join('\n'));
  };
  try {
    for (const one of cases) report(await complaintsAboutOne(parts, one, course));
  } catch (error) {
    if (error instanceof Finding) throw error;
    throw new Error([String(error), ...toRepeat(parts, course)].join('\n'), { cause: error });
  }
  report(complaintsAboutStore({ before, after: await world.look(), writes: course.writes }));
}

function toRepeat({ url }: SequenceParts, { sent }: Course): string[] {
  const lines = sent.map(({ request, status }) => `${curlOf(url, request)} # ${status}`);
  return ['Sent, from a fresh beginning:', ...lines];
}

interface Course {
  /** The project of each flag that exists or existed. */
  readonly flags: Map<string, string>;
  /** The number of acknowledged writes of each flag. */
  readonly writes: Map<string, number>;
  /** The sent requests in order, with the status of each answer; 0 if there was no answer. */
  readonly sent: { readonly request: Request; status: number }[];
}

async function complaintsAboutOne(parts: SequenceParts, one: AnyCase, course: Course): Promise<string[]> {
  const { caller, tally } = parts;
  if ('path' in one) {
    const answer = await exchange(parts, one, course);
    tally.count('wild', answer.status);
    noteWildWrite(one, answer, course);
    return [...promisedOf(parts, one, answer), ...(answer.status >= 500 ? [`answers ${answer.status}`] : [])];
  }
  const sent = await resolve(parts, one, course.flags);
  const answer = await exchange(parts, sent.request, course);
  tally.count(sent.operation.id, answer.status);
  noteWrite(sent, answer, course);
  const complaints = [
    ...promisedOf(parts, sent.request, answer),
    ...complaintsOf(sent, answer),
    ...complaintsOfStream(parts, sent, answer),
    ...complaintsOfEcho(sent, answer),
  ];
  const [line, said] = [
    `${sent.request.method} ${sent.request.path}`,
    `${answer.status} ${answer.text.slice(0, 1000)}`,
  ];
  const all = complaints.length > 0 ? complaints : await complaintsOfReading(caller, sent, answer);
  return all.map((complaint) => `${line} ${complaint}: ${said}`);
}

async function exchange({ caller }: SequenceParts, request: Request, { sent }: Course): Promise<Answer> {
  const entry = { request, status: 0 };
  sent.push(entry);
  const answer = await caller.send(request);
  entry.status = answer.status;
  return answer;
}

/** Checks that status, headers and body match the document, and that the document names the status. */
function promisedOf({ promise }: SequenceParts, { method, path }: Request, answer: Answer): string[] {
  const [plain = ''] = path.split('?');
  return promise({ method, path: plain, ...answer }).map((complaint) => `${complaint} (${method} ${path})`);
}

function noteWrite({ request, operation, path, dryRun, flag }: Resolved, answer: Answer, course: Course): void {
  if (request.method === 'GET' || dryRun || answer.status > 299 || noteCreated(answer, course)) return;
  const names = flag ?? (operation.template.includes('{featureName}') ? decodeURIComponent(path).split('/') : []);
  const several = operation.takes.includes('features') ? (JSON.parse(request.text ?? '') as Together).features : [];
  // Only the server knows the flag of the strategy.
  const any = operation.template.endsWith('/segments/strategies') ? [...course.flags.keys()] : [];
  for (const name of [names, several, any].flat()) note(name, course);
}

interface Together {
  readonly features: readonly string[];
}

/** A write of a wild case: the flag is known only by its name in the path. */
function noteWildWrite({ method, path }: Request, answer: Answer, course: Course): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method) || answer.status > 299 || noteCreated(answer, course)) return;
  for (const name of decodeURIComponent(path).split('/')) note(name, course);
}

function noteCreated({ status, text }: Answer, course: Course): boolean {
  if (status !== 201) return false;
  const { name, project } = JSON.parse(text) as { name?: string; project?: string };
  // The answer is a tag, which the flag has from now on.
  if (name === undefined) return false;
  // The answer is a strategy type, which has no project and is no write of a flag.
  if (project === undefined) return true;
  course.flags.set(name, project);
  note(name, course);
  return true;
}

function note(name: string, { writes }: Course): void {
  writes.set(name, (writes.get(name) ?? 0) + 1);
}

interface Stores {
  readonly before: ReadonlyMap<string, StoredFlag>;
  readonly after: ReadonlyMap<string, StoredFlag>;
  readonly writes: ReadonlyMap<string, number>;
}

/**
 * No flag has changed more often than writes of it were acknowledged. A flag without a write is the same as before,
 * except for its status, which the settings of its project may change.
 */
function complaintsAboutStore({ before, after, writes }: Stores): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .filter((name) => {
      const [was, is, most] = [before.get(name), after.get(name), writes.get(name) ?? 0];
      if (most === 0) return !isDeepStrictEqual(was && writtenOf(was), is && writtenOf(is));
      const [old, now] = [was?.metadata, is?.metadata];
      return old !== undefined && old.uid === now?.uid && now.generation - old.generation > most;
    })
    .map((name) => `the flag ${name} has changed more often than writes of it were acknowledged`);
}
