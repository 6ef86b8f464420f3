/** The answer of the playground as JSON text in pieces, made flag by flag while it is sent. */
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { Refusal } from '../../errors.ts';
import { boundedTurns, inTurn, type Turn } from '../../runtime/turns.ts';
import type { ExplainedFlag } from '../../wire/playground/explained-flag.ts';
import { presentPlaygroundFeature } from '../../wire/playground/playground.ts';
import { MAX_EXPLAINED } from '../../wire/playground/playground-input.ts';
import type { ReadsSegment } from '../../wire/playground/why-words.ts';
import type { FieldOrigins } from './field-origins.ts';

/** An environment and a context. */
export interface Asked {
  readonly environment: string;
  readonly context: Readonly<Record<string, unknown>>;
}

export interface Playground {
  /** The names of flags, in order. */
  readonly names: readonly string[];
  /** The contexts, ordered by environment. */
  readonly asked: readonly Asked[];
  /** Undefined if the flag does not exist any more. */
  readonly explain: (name: string, asked: Asked) => ExplainedFlag | undefined;
  /** Undefined if origins are not wanted. */
  readonly originsOf: FieldOrigins | undefined;
  readonly readsSegment: ReadsSegment;
  readonly input: object;
  readonly turn: Turn;
}

interface ExplainedFeature {
  readonly asked: Asked;
  readonly explained: ExplainedFlag;
  readonly feature: object;
}

/** Makes the text for each flag from its evaluations, of which there is at least one. */
type Shape = (evaluations: AsyncIterable<ExplainedFeature>) => AsyncIterable<string>;

const PIECE_LENGTH = 65_536;
/** Each flag is bounded by its budget, but there may be thousands, and many who ask at once. */
const MAX_PLAYGROUND_MS = 60_000;

export async function* playgroundText(playground: Playground, shape: Shape): AsyncIterable<string> {
  let piece = '{"features":[';
  for await (const text of featureTexts(playground, shape)) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}],"input":${JSON.stringify(playground.input)}}`;
}

async function* featureTexts(playground: Playground, shape: Shape): AsyncIterable<string> {
  let isFirst = true;
  const turn = boundedTurns(playground.turn, { maxMs: MAX_PLAYGROUND_MS, tooLong });
  for (const [index, name] of playground.names.entries()) {
    let separator = isFirst ? '' : ',';
    const evaluations = evaluationsOf(playground, { name, isExplained: index < MAX_EXPLAINED, turn });
    for await (const text of shape(evaluations)) {
      yield `${separator}${text}`;
      separator = '';
      isFirst = false;
    }
  }
}

function tooLong(): Refusal {
  const message = `the evaluations take longer than ${MAX_PLAYGROUND_MS / 1000} s: ask for fewer projects, environments or contexts, and look for flags with many patterns or long lists`;
  return new Refusal('busy', message, { retryAfterSeconds: 10 });
}

interface OneFlag {
  readonly name: string;
  readonly isExplained: boolean;
  readonly turn: Turn;
}

async function* evaluationsOf(
  { asked, explain, originsOf, readsSegment }: Playground,
  { name, isExplained, turn }: OneFlag,
): AsyncIterable<ExplainedFeature> {
  for (const one of asked) {
    const explained = await inTurn(turn, () => explain(name, one));
    if (!explained) return;
    const fields = isExplained && originsOf ? await originsOf(explained) : null;
    yield { asked: one, explained, feature: presentPlaygroundFeature(explained, { readsSegment, fields }) };
  }
}

export async function* forOneContext(evaluations: AsyncIterable<ExplainedFeature>): AsyncIterable<string> {
  for await (const { feature } of evaluations) yield JSON.stringify(feature);
}

export async function* byEnvironment(evaluations: AsyncIterable<ExplainedFeature>): AsyncIterable<string> {
  let environment: string | undefined;
  for await (const { asked, explained, feature } of evaluations) {
    const { name, project } = { name: explained.feature.name, project: projectIdOf(explained.flag) };
    const head = `{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(project)},"environments":{`;
    const isNext = environment !== asked.environment;
    const before = environment === undefined ? head : isNext ? '],' : ',';
    const key = isNext ? `${JSON.stringify(asked.environment)}:[` : '';
    yield `${before}${key}${JSON.stringify({ ...feature, ...asked })}`;
    environment = asked.environment;
  }
  if (environment !== undefined) yield ']}}';
}
