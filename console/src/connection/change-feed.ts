/** Shares one stream of changes between all tabs of a browser: a visible tab reads it and informs the others. */
import { prefix } from '../api.ts';
import { fetchInTime } from './answer-in-time.ts';

/** `away`: Vexil cannot be reached. `cut-off`: Vexil cannot reach the API server. */
export type Reach = 'live' | 'away' | 'cut-off';

/** A message from one tab to the others. */
type TabMessage =
  | { readonly type: 'changed' }
  | { readonly type: 'reach'; readonly reach: Reach }
  /** Sent by a new tab, which does not know the reach yet. */
  | { readonly type: 'ask-reach' }
  /** A user has signed in or out: the stream is for another user. */
  | { readonly type: 'session' };

export interface FeedListener {
  /** Called when the content of pages may have changed. */
  readonly onChanged: () => void;
  readonly onReach: (reach: Reach) => void;
  /** Called when another user may have signed in. */
  readonly onSession: () => void;
}

const RETRY_MS = 2_000;
/** A server that hangs closes no connection, so the tab asks whether it still answers. */
const ASK_EVERY_MS = 20_000;
const NAME = `vexil-changes ${prefix}`;

/** Tells all tabs, this one included, that another user may be signed in. */
export function announceSession(): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ type: 'session' } satisfies TabMessage);
  channel.close();
}

/**
 * Returns a function that stops. The tab that has the lock reads the stream; a hidden tab releases the lock, because
 * browsers slow it down.
 */
export function followChanges({ onChanged, onReach, onSession }: FeedListener): () => void {
  const channel = new BroadcastChannel(NAME);
  const send = (message: TabMessage) => channel.postMessage(message);
  let reach: Reach = 'live';
  let leading: AbortController | undefined;
  let close: (() => void) | undefined;

  const setReach = (next: Reach) => {
    reach = next;
    onReach(next);
  };
  const open = () => {
    close?.();
    close = readStream({
      onChanged() {
        onChanged();
        send({ type: 'changed' });
      },
      onReach(next) {
        setReach(next);
        send({ type: 'reach', reach: next });
      },
    });
  };
  const answer = () => {
    if (close) send({ type: 'reach', reach });
  };
  const lead = () => {
    if (leading) return;
    const ending = new AbortController();
    leading = ending;
    withLock(ending.signal, open);
  };
  const yieldLead = () => {
    leading?.abort();
    leading = undefined;
    close?.();
    close = undefined;
  };
  const follow = () => (document.hidden ? yieldLead() : lead());

  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'changed') onChanged();
    else if (data.type === 'reach') setReach(data.reach);
    else if (data.type === 'ask-reach') answer();
    else {
      if (close) open();
      onSession();
    }
  });
  send({ type: 'ask-reach' });
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    yieldLead();
    channel.close();
  };
}

/** Calls `work` when no other tab has the lock, and keeps it until the signal aborts or the tab is closed. */
function withLock(signal: AbortSignal, work: () => void): void {
  // Plain HTTP to another machine has no locks, so each tab reads its own stream.
  if (!('locks' in navigator)) {
    work();
    return;
  }
  const keep = async () => {
    if (signal.aborted) return;
    work();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  navigator.locks.request(NAME, { signal }, keep).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

interface StreamListener {
  readonly onChanged: () => void;
  readonly onReach: (reach: Reach) => void;
}

function readStream({ onChanged, onReach }: StreamListener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let isAway = false;

  const onFailure = async () => {
    if (source?.readyState !== EventSource.CLOSED) return onReach('away');
    timer = setTimeout(connect, RETRY_MS);
    // If Vexil refuses the stream, the page reads the reason by itself; if a proxy refuses it, Vexil cannot be reached.
    const isThere = await isReachable();
    if (!isClosed) onReach(isThere ? 'live' : 'away');
  };
  const connect = () => {
    source = new EventSource(`${prefix}/api/admin/changes`);
    source.addEventListener('open', () => onReach('live'));
    for (const name of ['connected', 'change', 'resync']) source.addEventListener(name, onChanged);
    source.addEventListener('api-server', ({ data }) => {
      const { connected } = JSON.parse(data) as { connected: boolean };
      onReach(connected ? 'live' : 'cut-off');
      if (connected) onChanged();
    });
    source.addEventListener('error', () => void onFailure());
  };
  const watch = setInterval(async () => {
    const isThere = await isReachable();
    if (isClosed || isThere === !isAway) return;
    isAway = !isThere;
    if (isAway) return onReach('away');
    // The stream may have ended unseen. A new one says what it reaches.
    clearTimeout(timer);
    source?.close();
    connect();
  }, ASK_EVERY_MS);
  connect();
  return () => {
    isClosed = true;
    clearInterval(watch);
    clearTimeout(timer);
    source?.close();
  };
}

async function isReachable(): Promise<boolean> {
  return fetchInTime(new Request(`${prefix}/health`, { cache: 'no-store' })).then(
    ({ ok }) => ok,
    () => false,
  );
}
