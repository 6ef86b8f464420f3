/** What a message for people says about one entry, or about many. */
import type { Entry } from '../../../domain/history/entry.ts';
import { cut } from '../../../model/text.ts';
import { eventTextOf } from '../../publish/event-note.ts';

/** One entry in one line. */
export interface DigestLine {
  readonly id: number;
  /** Ms since 1970. */
  readonly at: number;
  readonly text: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly flag: string | null;
}

/** All entries of a message. */
export interface Digest {
  readonly title: string;
  /** The first entries; empty: the title says all. */
  readonly lines: readonly DigestLine[];
  /** How many entries the lines leave out. */
  readonly more: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly projects: readonly string[];
  readonly environments: readonly string[];
  /** A page of the console; undefined: nobody has said where it is. */
  readonly link: string | undefined;
}

const MAX_LINE = 300;
const MAX_LINES = 10;
/** With more entries than `MAX_LINES`, so many are shown. */
const SHOWN_OF_MANY = 5;
const MAX_NAMES = 3;

/** Characters that are invisible, change the direction of text or begin a line. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu;
/** Where programs begin to read a link or a mention. */
const LINK_BEGINS = /(:)(?=\/\/)|(\bwww)(?=\.)|(@)(?=\w)/giu;
const NOT_A_LINK = '$&\u200b';

/** Names and reasons are data: no program may read a link, a mention or a new line in them. */
function inert(text: string): string {
  return cut(text.replaceAll(INVISIBLE, ' ').trim(), MAX_LINE).replaceAll(LINK_BEGINS, NOT_A_LINK);
}

/** Addresses are masked, as in Events. */
export function lineOf(entry: Entry): DigestLine {
  const { id, createdAt, project, environment, featureName } = entry;
  return { id, at: createdAt, text: inert(sentenceOf(entry)), project, environment, flag: featureName };
}

/** The archive may hold a type of a later version. */
function sentenceOf(entry: Entry): string {
  try {
    return eventTextOf([entry]).note;
  } catch {
    return `${entry.type} of ${entry.object}`;
  }
}

/** `base`: the console, without a slash at its end. */
export function messageDigest(lines: readonly [DigestLine, ...DigestLine[]], base: string | undefined): Digest {
  const [first] = lines;
  const isOne = lines.length === 1;
  const shown = isOne ? [] : lines.slice(0, lines.length > MAX_LINES ? SHOWN_OF_MANY : MAX_LINES);
  const times = lines.map(({ at }) => at);
  const environments = namesOf(lines, 'environment');
  return {
    title: isOne ? first.text : titleOf(lines, environments),
    lines: shown,
    more: isOne ? 0 : lines.length - shown.length,
    firstAt: times.reduce((a, b) => Math.min(a, b)),
    lastAt: times.reduce((a, b) => Math.max(a, b)),
    projects: namesOf(lines, 'project'),
    environments,
    link: base === undefined ? undefined : `${base}/events${isOne ? `?id=${first.id}` : ''}`,
  };
}

function titleOf(lines: readonly DigestLine[], environments: readonly string[]): string {
  const flags = namesOf(lines, 'flag').length;
  const ofFlags = flags > 0 ? ` of ${flags} ${flags === 1 ? 'flag' : 'flags'}` : '';
  const places = environments.slice(0, MAX_NAMES).join(', ');
  const others = environments.length > MAX_NAMES ? ` and ${environments.length - MAX_NAMES} more` : '';
  return inert(`${lines.length} changes${ofFlags}${places && ` in ${places}${others}`}`);
}

function namesOf(lines: readonly DigestLine[], member: 'project' | 'environment' | 'flag'): readonly string[] {
  return [...new Set(lines.flatMap((line) => line[member] ?? []))].toSorted();
}
