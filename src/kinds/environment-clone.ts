/**
 * Reconciles the clone that an environment requests, step by step; each step computes again what is left to do. It acts
 * for the caller who asked, but stands in kinds, because the leader runs it and no request waits for it.
 */
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import {
  type CloneRequest,
  cloneObstacles,
  cloneRequestOf,
  planClone,
} from '../domain/environment/clone-environment.ts';
import {
  atRest,
  type CloneReport,
  cloneEvent,
  ended,
  isOver,
  partlyRefused,
  type Stage,
  underWay,
  waiting,
} from '../domain/environment/clone-progress.ts';
import { type Author, creatorOf } from '../domain/identity/author.ts';
import type { Environment } from '../schema/environment.ts';
import type { Report } from './apply-status.ts';
import { type CloneWrite, cloneWrites, type Refused, runWrites, type Written } from './clone-writes.ts';

export interface CloneParts extends Written {
  readonly catalog: Catalog;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** How long a step copies flags before it reports its progress. */
const STEP_MS = 1000;

/** The state of a running clone in memory. Losing it costs only additional writes. */
interface CopyProgress {
  /** Flags that are copied. Each is written once, so a copy that a user removes stays removed. */
  readonly copied: Set<string>;
  /** The refusals by flag. Refused flags are tried again after all others, unless a retry cannot succeed. */
  readonly refused: Map<string, Refused>;
}

/** The leader writes on behalf of the creator of the environment: the request is as old as the environment. */
function requesterOf(environment: Environment): Author {
  return { name: creatorOf(environment) ?? 'unknown', via: 'environment-clone' };
}

function messagesOf(refused: readonly Refused[]): readonly string[] {
  return refused.map(({ message }) => message);
}

/** Environments may be deleted while their clone is in progress. A copy whose progress is forgotten begins again. */
const MAX_COPIES = 20;

const toTheEnd = () => true;

/** The report of a step must be in the status before the next step: no flag is written before the status is Copying. */
export function environmentCloning(parts: CloneParts) {
  const { catalog, now } = parts;
  const copies = new LRUCache<string, CopyProgress>({ max: MAX_COPIES });

  async function validate(stage: Stage, environment: Environment): Promise<CloneReport> {
    const { contexts, flags } = cloneWrites(parts, { ...stage, author: requesterOf(environment) });
    const refusals = await runWrites([...contexts, ...flags], ({ run }) => run({ dryRun: true }), toTheEnd);
    const passing = [...refusals.values()].filter(({ isFinal }) => !isFinal);
    return passing.length > 0 ? ended('Failed', stage, messagesOf(passing)) : underWay('Copying', stage);
  }

  async function copy(stage: Stage, environment: Environment): Promise<CloneReport> {
    const { metadata } = environment;
    const { contexts, flags } = cloneWrites(parts, { ...stage, author: requesterOf(environment) });
    const missing = await runWrites(contexts, ({ run }) => run({ dryRun: false }), toTheEnd);
    if (missing.size > 0) return partlyRefused(stage, messagesOf([...missing.values()]));

    const progress = copies.get(metadata.uid) ?? { copied: new Set(), refused: new Map() };
    copies.set(metadata.uid, progress);
    const isLeft = ({ uid }: { readonly uid: string }) => !progress.copied.has(uid) && !progress.refused.has(uid);
    const until = now() + STEP_MS;
    const isWanted = () => catalog.environment(stage.request.to)?.metadata.uid === metadata.uid;
    const copyOne = async ({ uid, run }: CloneWrite) => {
      await run({ dryRun: false });
      progress.copied.add(uid);
    };
    const refusals = await runWrites(flags.filter(isLeft), copyOne, () => now() < until && isWanted());
    for (const [uid, refusal] of refusals) progress.refused.set(uid, refusal);

    const after = { ...stage, plan: planOf(stage.request), now: now() };
    if (after.plan.left.some((flag) => isLeft(flag.metadata))) return underWay('Copying', after);
    copies.delete(metadata.uid);
    const refused = [...progress.refused.values()];
    const isAll = refused.every(({ isFinal }) => isFinal);
    return isAll ? ended('Done', after, messagesOf(refused)) : partlyRefused(after, messagesOf(refused));
  }

  const planOf = (request: CloneRequest) => planClone(request, catalog.cloneContext(request));

  async function proceed(environment: Environment, stage: Stage): Promise<CloneReport> {
    switch (stage.before?.phase) {
      case 'Validating':
        return validate(stage, environment);
      case 'Copying':
        return copy(stage, environment);
      default:
        return underWay('Validating', stage);
    }
  }

  return async function step(environment: Environment, report: Report): Promise<CloneReport> {
    const before = environment.status?.clone;
    const request = cloneRequestOf(environment);
    if (!request || isOver(before)) return atRest(before);
    const obstacles = cloneObstacles(request, catalog.cloneContext(request));
    if (obstacles.length > 0) return waiting(before, obstacles);

    const progress = await proceed(environment, { request, plan: planOf(request), before, now: now() });
    const content = cloneEvent(request, progress);
    if (content) await report(content);
    return progress;
  };
}
