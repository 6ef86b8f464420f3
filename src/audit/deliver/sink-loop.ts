/** Delivers the history to one sink, until its signal aborts. */
import pLimit from 'p-limit';
import type { Entry } from '../../domain/history/entry.ts';
import type { SinkProgress, SinkTest } from '../../domain/sink/sink-progress.ts';
import { maxAgeMsOf } from '../../domain/sink/sink-progress.ts';
import { isRefusal } from '../../errors.ts';
import type { Clock } from '../../model/clock.ts';
import { nextTurn } from '../../runtime/turns.ts';
import { type NotificationSink, REPLAY_ANNOTATION, TEST_ANNOTATION } from '../../schema/notification-sink.ts';
import type { SinkLag, SinkPlace, SinkStore } from '../archive/sinks/sink-store.ts';
import { createRest } from '../record/rest.ts';
import { retryForever } from '../record/retry-forever.ts';
import { type Parcel, type Parcels, parcelsAfter, type Sender } from './parcels.ts';

export interface SinkLoopParts {
  readonly sink: NotificationSink;
  readonly store: SinkStore;
  /** Undefined: the spec, or a Secret that it names, does not let anything be sent at the moment. */
  readonly sender: () => Promise<Sender | undefined>;
  /** False once another replica may deliver. */
  readonly isCurrent: () => boolean;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  /** For the database. */
  readonly backoff: (failures: number) => number;
  /** For the receiver. */
  readonly retryIn: (failures: number) => number;
  readonly onNotice: (notice: SinkNotice) => void;
}

export type SinkNotice =
  | { readonly type: 'store-failed' | 'close-failed'; readonly error: unknown }
  | { readonly type: 'failing' | 'gone'; readonly answer: string }
  | { readonly type: 'recovered' }
  | { readonly type: 'set-aside'; readonly entry: number; readonly entries: number; readonly answer: string };

export interface SinkLoop {
  run(signal: AbortSignal): Promise<void>;
  /** There may be entries. */
  wake(): void;
  /** The same sink with other metadata. */
  update(sink: NotificationSink): void;
  /** Undefined: the delivery has not begun. */
  readonly progress: SinkProgress | undefined;
}

/** Objects whose entries are sent at the same time. */
export const OBJECTS_AT_A_TIME = 8;
/** How often an entry is sent that the receiver refuses. */
const MAX_REFUSALS = 5;
/** An earlier leader may have left entries, and a Secret may have changed. */
const LOOK_EVERY_MS = 30_000;
const UNDELIVERABLE_AGAIN_MS = 10_000;
const LAG_EVERY_MS = 10_000;
/** How long the place of a sink that skips everything may be old. */
const SKIPPED_FOR_MS = 10_000;
const MAX_TEXT = 300;
const MAX_REQUEST = 100;

export function createSinkLoop(parts: SinkLoopParts): SinkLoop {
  const rest = createRest(parts.clock);
  /** Ends also the wait after a failure. */
  const urgent = createRest(parts.clock);
  const loop = new RunningLoop(parts);
  return {
    async run(signal) {
      const attempts = {
        isTemporary: () => true,
        onFailure: (error: unknown) => parts.onNotice({ type: 'store-failed', error }),
        onRecovery: () => undefined,
      };
      while (!signal.aborted && parts.isCurrent()) {
        rest.begin();
        urgent.begin();
        const waitMs = await retryForever({ ...parts, signal }, attempts, () => loop.round(signal)).catch((error) => {
          if (!signal.aborted) throw error;
          return 0;
        });
        if (waitMs === 'rest') await rest.upTo(LOOK_EVERY_MS, signal);
        else if (waitMs > 0) await urgent.upTo(waitMs, signal);
      }
    },
    wake: rest.wake,
    update(sink) {
      loop.sink = sink;
      rest.wake();
      urgent.wake();
    },
    get progress() {
      return loop.progress;
    },
  };
}

/** How one round ended. */
interface RoundResult {
  taken: number;
  /** The first failure. */
  failure: { readonly message: string; readonly retryAfterMs?: number } | undefined;
}

interface Sending {
  readonly sent: RoundResult;
  readonly signal: AbortSignal;
}

class RunningLoop {
  sink: NotificationSink;
  readonly #parts: SinkLoopParts;
  #place: SinkPlace | undefined;
  /** Entries after the place that need not be sent any more. */
  readonly #done = new Set<number>();
  /** How often the receiver has refused an entry. */
  readonly #refusals = new Map<number, number>();
  #failures = 0;
  #failingSince: number | undefined;
  #lastError: string | undefined;
  #lag: SinkLag = { entries: 0, oldestAt: undefined };
  #lagAt = Number.NEGATIVE_INFINITY;
  #savedAt = Number.NEGATIVE_INFINITY;
  #lastTest: SinkTest | undefined;

  constructor(parts: SinkLoopParts) {
    this.#parts = parts;
    this.sink = parts.sink;
    this.#lastTest = parts.sink.status?.lastTest;
  }

  get progress(): SinkProgress | undefined {
    const place = this.#place;
    if (!place) return undefined;
    return {
      lastDelivered: place.lastId === 0 ? undefined : { id: place.lastId, at: place.lastAt },
      lag: this.#lag,
      failingSince: this.#failingSince,
      lastError: this.#lastError,
      setAside: place.setAside,
      lastSetAside: place.lastSetAside ?? undefined,
      goneAt: place.gone === 0 ? undefined : place.gone,
      lastTest: this.#lastTest,
      lastReplay: place.replay ?? undefined,
    };
  }

  /** Returns how long to wait; `rest`: until there is something to do. Rejects if the database fails. */
  async round(signal: AbortSignal): Promise<number | 'rest'> {
    const { store, sender } = this.#parts;
    const { uid, creationTimestamp } = this.sink.metadata;
    this.#place ??= await store.open(uid, Date.parse(creationTimestamp));
    await this.#replayIfAsked();
    const sending = await sender();
    if (sending) await this.#testIfAsked(sending, signal);
    const { entries, groups } = await this.#parcels(sending, signal);
    await this.#measureLag(entries.length === 0);
    if (entries.length === 0) {
      this.#recover();
      return 'rest';
    }
    if (!sending || this.#isGone) return UNDELIVERABLE_AGAIN_MS;
    const sent: RoundResult = { taken: 0, failure: undefined };
    await this.#sendAll(groups, { sent, signal });
    if (signal.aborted || !this.#parts.isCurrent()) return 0;
    await this.#advance(entries, sent);
    return this.#outcome(sent);
  }

  async #parcels(sender: Sender | undefined, signal: AbortSignal): Promise<Parcels> {
    const { store, clock } = this.#parts;
    const position = this.#place?.position ?? 0;
    if (sender === undefined) return { entries: await store.after(position), groups: [] };
    const isTooOld = (entry: Pick<Entry, 'createdAt'>) => this.#isTooOld(entry);
    return parcelsAfter({ sender, store, clock, isTooOld }, position, signal);
  }

  async #sendAll(groups: Parcels['groups'], sending: Sending): Promise<void> {
    const limit = pLimit(OBJECTS_AT_A_TIME);
    const sendGroup = async (parcels: readonly Parcel[]) => {
      for (const parcel of parcels) {
        if (parcel.entries.every(({ id }) => this.#done.has(id))) continue;
        if (sending.signal.aborted || !(await this.#sendOne(parcel, sending))) return;
        // What a filter leaves out takes no time but that of the filter.
        await nextTurn();
      }
    };
    await Promise.all(groups.map((parcels) => limit(sendGroup, parcels)));
  }

  /** False: the parcel stays, and so do later ones of its group. */
  async #sendOne(parcel: Parcel, { sent, signal }: Sending): Promise<boolean> {
    if (!this.#parts.isCurrent() || this.#isGone) return false;
    const isOld = parcel.entries.every((entry) => this.#isTooOld(entry));
    if (isOld && this.#failures > 0) return this.#setAside(parcel, 'older than maxAge');
    const answer = await parcel.send(signal);
    if (answer === undefined) return this.#isDone(parcel);
    switch (answer.type) {
      case 'taken':
        sent.taken += 1;
        return this.#isTaken(parcel);
      case 'gone':
        return this.#end();
      case 'refused':
        sent.failure ??= answer;
        return this.#isRefused(parcel, answer.message);
      default:
        sent.failure ??= answer;
        return isOld ? this.#setAside(parcel, `older than maxAge, ${answer.message}`) : false;
    }
  }

  get #isGone(): boolean {
    return this.#place?.gone === this.sink.metadata.generation;
  }

  #isTaken(parcel: Parcel): true {
    const lastId = parcel.entries.at(-1)?.id ?? 0;
    if (this.#place) this.#place = { ...this.#place, lastId, lastAt: this.#parts.now() };
    return this.#isDone(parcel);
  }

  #isRefused(parcel: Parcel, message: string): boolean {
    const id = parcel.entries[0]?.id ?? 0;
    const tries = (this.#refusals.get(id) ?? 0) + 1;
    this.#refusals.set(id, tries);
    return tries < MAX_REFUSALS ? false : this.#setAside(parcel, `${message} ${tries} times`);
  }

  #isDone({ entries }: Parcel): true {
    for (const { id } of entries) {
      this.#done.add(id);
      this.#refusals.delete(id);
    }
    return true;
  }

  #isTooOld({ createdAt }: Pick<Entry, 'createdAt'>): boolean {
    const since = Math.max(createdAt, this.#place?.replayedAt ?? 0);
    return this.#parts.now() - since > maxAgeMsOf(this.sink.spec.maxAge);
  }

  #setAside(parcel: Parcel, answer: string): true {
    const entries = parcel.entries.length;
    const entry = parcel.entries[0]?.id ?? 0;
    if (this.#place) {
      const more = entries > 1 ? ` and ${entries - 1} more` : '';
      const lastSetAside = `entry ${entry}${more}: ${answer}`.slice(0, MAX_TEXT);
      this.#place = { ...this.#place, setAside: this.#place.setAside + entries, lastSetAside };
    }
    this.#parts.onNotice({ type: 'set-aside', entry, entries, answer });
    return this.#isDone(parcel);
  }

  /** The receiver wants nothing any more. */
  #end(): false {
    if (this.#place) this.#place = { ...this.#place, gone: this.sink.metadata.generation };
    this.#parts.onNotice({ type: 'gone', answer: 'answered 410' });
    return false;
  }

  /** Everything up to the place is done; what is done after it is kept in memory. */
  async #advance(entries: Parcels['entries'], { taken }: RoundResult): Promise<void> {
    const { clock } = this.#parts;
    if (!this.#place) return;
    const open = entries.findIndex(({ id }) => !this.#done.has(id));
    const finished = open === -1 ? entries : entries.slice(0, open);
    const position = finished.at(-1)?.id ?? this.#place.position;
    const isOnlySkipped = taken === 0 && this.#savedAt + SKIPPED_FOR_MS > clock.now();
    const before = this.#place;
    this.#place = { ...before, position };
    for (const { id } of finished) this.#done.delete(id);
    if (isOnlySkipped && !this.#isGone) return;
    await this.#save(this.#place);
  }

  async #save(place: SinkPlace): Promise<void> {
    try {
      const revision = await this.#parts.store.save(this.sink.metadata.uid, place);
      this.#place = { ...place, revision };
      this.#savedAt = this.#parts.clock.now();
    } catch (error) {
      // Read again: another replica may have delivered meanwhile.
      if (isRefusal(error, 'conflict')) this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#place = undefined;
    this.#done.clear();
    this.#refusals.clear();
  }

  #outcome({ taken, failure }: RoundResult): number {
    if (!failure) {
      // Old entries are set aside untried while the receiver fails.
      if (taken > 0) this.#recover();
      return 0;
    }
    if (this.#failures === 0) this.#parts.onNotice({ type: 'failing', answer: failure.message });
    this.#failures = taken > 0 ? 1 : this.#failures + 1;
    this.#failingSince = taken > 0 ? undefined : (this.#failingSince ?? this.#parts.now());
    this.#lastError = failure.message.slice(0, MAX_TEXT);
    return Math.max(1, this.#parts.retryIn(this.#failures - 1), failure.retryAfterMs ?? 0);
  }

  #recover(): void {
    if (this.#failures > 0) this.#parts.onNotice({ type: 'recovered' });
    this.#failures = 0;
    this.#failingSince = undefined;
    this.#lastError = undefined;
  }

  async #measureLag(isEmpty: boolean): Promise<void> {
    const { store, clock } = this.#parts;
    if (!this.#place) return;
    if (isEmpty) {
      this.#lag = { entries: 0, oldestAt: undefined };
    } else if (this.#lagAt + LAG_EVERY_MS <= clock.now()) {
      this.#lagAt = clock.now();
      this.#lag = await store.lag(this.#place.position);
    }
  }

  async #replayIfAsked(): Promise<void> {
    const request = this.sink.metadata.annotations?.[REPLAY_ANNOTATION]?.slice(0, MAX_REQUEST);
    if (!this.#place || request === undefined || request === this.#place.replay) return;
    const from = Date.parse(request.split(' ')[0] ?? '');
    const position = Number.isFinite(from) ? await this.#parts.store.positionAt(from) : this.#place.position;
    this.#done.clear();
    this.#refusals.clear();
    const back = Math.min(position, this.#place.position);
    await this.#save({ ...this.#place, position: back, replay: request, replayedAt: this.#parts.now() });
  }

  async #testIfAsked(sender: Sender, signal: AbortSignal): Promise<void> {
    const request = this.sink.metadata.annotations?.[TEST_ANNOTATION]?.slice(0, MAX_REQUEST);
    if (request === undefined || request === this.#lastTest?.request) return;
    const answer = await sender.test(request, signal);
    const message = answer.type === 'taken' ? 'taken' : answer.type === 'gone' ? 'answered 410' : answer.message;
    this.#lastTest = { request, succeeded: answer.type === 'taken', message: message.slice(0, MAX_TEXT) };
  }
}
