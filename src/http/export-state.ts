/** The state document that a caller may read, written piece by piece. */
import { setImmediate } from 'node:timers/promises';
import { dump } from 'js-yaml';
import { placeOfDefect } from '../domain/edit-place.ts';
import { isArchived } from '../domain/flag-values.ts';
import { compareText, wireNameOf } from '../domain/names.ts';
import { AppError } from '../errors.ts';
import { readableProjects } from './identity/readable-projects.ts';
import type { Services } from './route.ts';
import { Pieces } from './send-pieces.ts';
import { leftOutWarning } from './taking.ts';
import { type State, stateSections } from './wire/state-document.ts';
import type { ExportQuery } from './wire/state-query.ts';

export async function exportState(services: Services, query: ExportQuery): Promise<Pieces> {
  const state = await readState(services, query);
  const { format } = query;
  const chunks = format === 'yaml' ? yamlOf(state) : jsonOf(state);
  const warning = leftOutWarning(unreadableIn(state));
  return new Pieces({
    type: format === 'yaml' ? 'text/yaml; charset=utf-8' : 'application/json; charset=utf-8',
    headers: {
      ...(query.download && { 'Content-Disposition': attachment(format, services.now()) }),
      ...(warning !== undefined && { Warning: warning }),
    },
    read: () => inPieces(chunks),
  });
}

/** Objects never change, so what is read here stays one state however long it takes to send. */
async function readState(services: Services, query: ExportQuery): Promise<State> {
  const { catalog } = services;
  const inline = chosenEnvironment(services, query.environment);
  const views = query.projects || query.featureToggles ? await readableProjects(services) : [];
  const flags = views
    .flatMap(({ flags, surroundings }) => flags.map((flag) => ({ flag, surroundings })))
    .filter(({ flag }) => !isArchived(flag))
    .sort((a, b) => compareText(wireNameOf(a.flag), wireNameOf(b.flag)));
  return {
    flags: query.featureToggles ? flags : [],
    projects: query.projects ? views.map(({ project }) => project) : [],
    strategyTypes: query.strategies ? [...catalog.strategyTypes().values()].filter(({ builtIn }) => !builtIn) : [],
    environments: query.environments ? catalog.environments() : [],
    withTags: query.tags,
    inline,
  };
}

/** One flag that cannot be read does not keep the others from being exported. */
function unreadableIn({ flags }: State): readonly string[] {
  return flags.flatMap(({ flag }) => flag.defects.map((defect) => `${wireNameOf(flag)} ${placeOfDefect(defect)}`));
}

function chosenEnvironment({ catalog }: Services, wanted: string | undefined): string | undefined {
  if (wanted !== undefined) {
    if (catalog.environment(wanted)) return wanted;
    const message = `There is no environment with the name "${wanted}".`;
    throw new AppError('invalid', message, { details: [{ path: '/query/environment', message }] });
  }
  return usualEnvironment(catalog.environments().map(wireNameOf));
}

const USUAL = 'default';

/** The environment for what flags say themselves, of these in their order (product §10). */
export function usualEnvironment(names: readonly string[]): string | undefined {
  return names.includes(USUAL) ? USUAL : names[0];
}

/** As real servers name it, with the time in UTC. */
function attachment(format: ExportQuery['format'], now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-');
  return `attachment; filename="export-${time}.${format === 'yaml' ? 'yml' : 'json'}"`;
}

function* jsonOf(state: State): Iterable<string> {
  yield '{"version":4';
  for (const [name, items] of stateSections(state)) {
    yield `,"${name}":[`;
    let comma = '';
    for (const item of items) {
      yield `${comma}${JSON.stringify(item)}`;
      comma = ',';
    }
    yield ']';
  }
  yield '}';
}

/** From here on in one line: free-form values would else grow by the spaces before each of them. */
const DEEPEST_BLOCK = 12;

/** Every text in quotes, as older readers take some words for something else; a list item by item. */
function* yamlOf(state: State): Iterable<string> {
  const style = {
    noRefs: true,
    forceQuotes: true,
    quoteStyle: 'double',
    lineWidth: -1,
    flowLevel: DEEPEST_BLOCK,
  } as const;
  yield 'version: 4\n';
  for (const [name, items] of stateSections(state)) {
    let isEmpty = true;
    for (const item of items) {
      yield `${isEmpty ? `${name}:\n` : ''}${dump([item], style)}`;
      isEmpty = false;
    }
    if (isEmpty) yield `${name}: []\n`;
  }
}

const PIECE_LENGTH = 65_536;

/** Others are served between two pieces. */
async function* inPieces(chunks: Iterable<string>): AsyncIterable<string> {
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
