/** Delivers the history to all sinks, each in a loop of its own, on the leader. */
import type { CacheChange } from '../../catalog/cached.ts';
import type { Entry } from '../../domain/history/entry.ts';
import { servedSinks } from '../../domain/sink/served-sinks.ts';
import type { SinkProgress } from '../../domain/sink/sink-progress.ts';
import { pause } from '../../model/clock.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import type { SinkStore } from '../archive/sinks/sink-store.ts';
import { createSinkLoop, type SinkLoop, type SinkLoopParts, type SinkNotice } from './sink-loop.ts';

/** A sink that is being delivered to. */
export interface OpenedSink {
  readonly sender: SinkLoopParts['sender'];
  close(): Promise<void>;
}

export interface DeliveryParts extends Omit<SinkLoopParts, 'sink' | 'sender' | 'isCurrent' | 'onNotice'> {
  readonly sinks: {
    all(): Iterable<NotificationSink>;
    subscribe(listener: (change: CacheChange<NotificationSink>) => void): () => void;
  };
  /** The operator namespace. */
  readonly home: string;
  readonly open: (sink: NotificationSink) => OpenedSink;
  readonly onNotice: (sink: NotificationSink, notice: SinkNotice) => void;
}

export interface SinkDelivery {
  /** Delivers during the term. Rejects if a loop has a bug. */
  run(term: DeliveryTerm): Promise<void>;
  /** There are new entries. */
  wake(): void;
  progressOf(sink: NotificationSink): SinkProgress | undefined;
}

/** The term of a leader. */
interface DeliveryTerm {
  readonly signal: AbortSignal;
  readonly isCurrent: () => boolean;
}

interface RunningTerm extends DeliveryTerm {
  /** A loop has failed for another reason than its database or its receiver: that is a bug. */
  readonly onFailed: (error: unknown) => void;
}

interface Running {
  readonly sink: NotificationSink;
  readonly loop: SinkLoop;
  readonly stop: () => Promise<void>;
}

const PRUNE_EVERY_MS = 600_000;

export function createSinkDelivery(parts: DeliveryParts): SinkDelivery {
  const running = new Map<string, Running>();
  const shared = shareReads(parts.store);

  /** `after`: the end of an earlier loop of the sink, as two would break the order. */
  function start(sink: NotificationSink, term: RunningTerm, after?: Promise<void>): void {
    const ending = new AbortController();
    const opened = parts.open(sink);
    const loop = createSinkLoop({
      ...parts,
      ...{ sink, store: shared.store, sender: opened.sender, isCurrent: term.isCurrent },
      onNotice: (notice) => parts.onNotice(sink, notice),
    });
    const signal = AbortSignal.any([term.signal, ending.signal]);
    const ended = Promise.resolve(after)
      .then(() => loop.run(signal))
      .finally(() => opened.close().catch((error) => parts.onNotice(sink, { type: 'close-failed', error })));
    ended.catch(term.onFailed);
    const stop = () => {
      ending.abort();
      return ended;
    };
    running.set(sink.metadata.uid, { sink, loop, stop });
  }

  /** `next`: the sink as it is now. */
  function follow({ sink, loop, stop }: Running, next: NotificationSink | undefined, term: RunningTerm): void {
    if (next?.metadata.generation === sink.metadata.generation) {
      loop.update(next);
      return;
    }
    running.delete(sink.metadata.uid);
    const ended = stop();
    if (next) start(next, term, ended);
  }

  return {
    async run(term) {
      const failure = Promise.withResolvers<never>();
      const runningTerm = { ...term, onFailed: failure.reject };
      const look = () => {
        const wanted = wantedSinks(parts);
        for (const [uid, one] of running) follow(one, wanted.get(uid), runningTerm);
        for (const [uid, sink] of wanted) if (!running.has(uid)) start(sink, runningTerm);
      };
      const unsubscribe = parts.sinks.subscribe((change) => {
        if (isRelevant(change)) look();
      });
      try {
        look();
        await Promise.race([forgetRegularly(parts, term.signal), failure.promise]);
      } finally {
        unsubscribe();
        await Promise.allSettled([...running.values()].map(({ stop }) => stop()));
        running.clear();
      }
    },
    wake() {
      shared.forget();
      for (const { loop } of running.values()) loop.wake();
    },
    progressOf: ({ metadata: { uid, generation } }) => {
      const one = running.get(uid);
      return one?.sink.metadata.generation === generation ? one.loop.progress : undefined;
    },
  };
}

function wantedSinks({ sinks, home }: DeliveryParts): ReadonlyMap<string, NotificationSink> {
  const all = [...sinks.all()].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const served = servedSinks(all, home);
  return new Map(all.flatMap((sink) => (served.has(sink.metadata.uid) ? [[sink.metadata.uid, sink]] : [])));
}

/** A change of the status alone is the operator's own. */
function isRelevant({ before, after }: CacheChange<NotificationSink>): boolean {
  const { generation, annotations, uid, deletionTimestamp } = after?.metadata ?? {};
  return (
    before?.metadata.uid !== uid ||
    before?.metadata.generation !== generation ||
    before?.metadata.deletionTimestamp !== deletionTimestamp ||
    JSON.stringify(before?.metadata.annotations) !== JSON.stringify(annotations)
  );
}

/** Deleted sinks are forgotten late: an outdated cache must not lose the place of a sink. */
async function forgetRegularly({ sinks, store, clock }: DeliveryParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(clock, PRUNE_EVERY_MS, signal);
    if (signal.aborted) return;
    const uids = [...sinks.all()].map(({ metadata }) => metadata.uid);
    await store.keepOnly(uids).catch(() => undefined);
  }
}

/** Sinks that are up to date all read the same entries, so they are read once. */
function shareReads(store: SinkStore): { readonly store: SinkStore; readonly forget: () => void } {
  const pages = new Map<string, Promise<readonly Entry[]>>();
  return {
    store: {
      ...store,
      after(position, limit) {
        const key = `${position}/${limit}`;
        const known = pages.get(key);
        if (known !== undefined) return known;
        const page = store.after(position, limit);
        pages.set(key, page);
        // Only reads that happen at the same time are shared: a page that is kept could lack later entries.
        const forget = () => {
          if (pages.get(key) === page) pages.delete(key);
        };
        page.then(forget, forget);
        return page;
      },
    },
    forget: () => pages.clear(),
  };
}
