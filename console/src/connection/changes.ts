/** Reads the content of a page again after a change; a hidden tab does so when it becomes visible. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { OF_OBJECTS } from '../queries.ts';
import { sessionReturned } from '../session-end.ts';
import { followChanges, type Reach } from './change-feed.ts';

/** Several changes within this time are read once. */
const GATHER_MS = 50;
/** The stream stays open for this time, so that it survives a change of the page. */
const LINGER_MS = 1_000;

let reach: Reach = 'live';
const listeners = new Set<() => void>();
let users = 0;
let stop: (() => void) | undefined;

function start(client: QueryClient): () => void {
  let reading: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const readAgain = () => {
    isDue = document.hidden;
    if (isDue) return;
    reading ??= setTimeout(() => {
      reading = undefined;
      void client.invalidateQueries(OF_OBJECTS);
    }, GATHER_MS);
  };
  const onVisible = () => isDue && readAgain();
  document.addEventListener('visibilitychange', onVisible);
  const stopFeed = followChanges({
    onChanged: readAgain,
    onReach(next) {
      reach = next;
      for (const listener of listeners) listener();
    },
    onSession() {
      sessionReturned();
      void client.invalidateQueries();
    },
  });
  return () => {
    stopFeed();
    document.removeEventListener('visibilitychange', onVisible);
    clearTimeout(reading);
  };
}

/** Returns what can be reached. Queries with `isStanding` in their `meta` do not depend on objects. */
export function useChanges(): Reach {
  const client = useQueryClient();
  useEffect(() => {
    users += 1;
    stop ??= start(client);
    return () => {
      users -= 1;
      setTimeout(() => {
        if (users > 0) return;
        stop?.();
        stop = undefined;
      }, LINGER_MS);
    };
  }, [client]);
  return useSyncExternalStore(subscribe, () => reach);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
