/** Defects that the simulation must find: each changes one line of the sources. */
export interface Mutation {
  readonly what: string;
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

export const mutations: readonly Mutation[] = [
  {
    what: 'a change overwrites one that it has not seen',
    file: 'src/kube/write/change.ts',
    line: '  return [guard, ...differences(present, wanted)];',
    becomes: '  return guard ? differences(present, wanted) : [];',
  },
  {
    what: 'a cache keeps objects that a new list does not have',
    file: 'src/kube/cache/partition.ts',
    line: '  state.objects = after;',
    becomes: '  state.objects = new Map([...before, ...after]);',
  },
  {
    what: 'a watch goes on at its version although the server cannot resume it',
    file: 'src/kube/cache/watch-state.ts',
    line: "  return isClusterError(error, 'gone', 'not-found', 'invalid') || isVersionTooLarge(error);",
    becomes: "  return isClusterError(error, 'not-found', 'invalid');",
  },
  {
    what: 'a restored cluster is taken for the same one',
    file: 'src/kube/cache/watch-state.ts',
    line: '    if (compareVersions(page.version, state.version) === -1)',
    becomes: '    if (compareVersions(page.version, state.version) === -2)',
  },
  {
    what: 'changes that come during a commit are dropped with those that were committed',
    file: 'src/audit/record/watch-buffer.ts',
    line: '      frames = frames.slice(count);',
    becomes: '      frames = frames.slice(frames.length);',
  },
  {
    what: 'a batch that failed is not tried again',
    file: 'src/audit/record/recorder.ts',
    line: '      await retryForever(round, attempts, () => round.archive.commit(batch));',
    becomes: '      await round.archive.commit(batch).catch(() => undefined);',
  },
  {
    what: 'a lease is taken before it has expired',
    file: 'src/runtime/election.ts',
    line: '  return clock.now() - seen.at > seen.state.durationMs;',
    becomes: '  return clock.now() - seen.at > seen.state.durationMs / 3;',
  },
  {
    what: 'a term counts from the answer, not from the request that renewed it',
    file: 'src/runtime/election.ts',
    line: '    return { state: await lease.hold(identity, term.state, signal), renewedAt };',
    becomes: '    return { state: await lease.hold(identity, term.state, signal), renewedAt: clock.now() + 8_000 };',
  },
  {
    what: 'a reconcile that failed is not tried again',
    file: 'src/runtime/queue.ts',
    line: '      if (!isShutDown) planned.set({ key, at: now + inMs, notBefore: now + atLeastMs, priority, reason });\n      return { failures: before + 1, inMs };',
    becomes: '      return { failures: before + 1, inMs: inMs + now * 0 + Number(priority === reason) };',
  },
  {
    what: 'a new leader looks at no object that exists already',
    file: 'src/app/leader.ts',
    line: "      triggers.all('start of the leader'),",
    becomes: '      Promise.resolve(),',
  },
  {
    what: 'a leader whose term has ended still listens to the caches',
    file: 'src/app/leader.ts',
    line: '    triggers.stop();\n',
    becomes: '',
  },
  {
    what: 'an Event that could not be published counts as published',
    file: 'src/audit/publish/publisher.ts',
    line: '      if (settled === 0) await rest.upTo(LOOK_EVERY_MS, signal);',
    becomes: '      if (settled === 0 || waiting > 0) return;',
  },
  {
    what: 'a delta leaves out what was removed',
    file: 'src/delivery/feeds.ts',
    line: '  if (!after) return before ? [featureRemoved(last.number, before)] : [];',
    becomes: '  if (!after) return [];',
  },
  {
    what: 'a stream is not closed when it is no longer read',
    file: 'src/kube/cache/watch.ts',
    line: "      end.abort(new Error('The stream is no longer read'));",
    becomes: '      void end;',
  },
  {
    what: 'a replay of missed changes leaves out deletions',
    file: 'src/kube/replay/replay.ts',
    line: '  if (goneAt !== undefined) moments.push({',
    becomes: '  if (goneAt === -1n) moments.push({',
  },
  {
    what: 'a name goes to the oldest object, although another namespace has claimed it',
    file: 'src/domain/name-claims/name-claims.ts',
    line: '  const nameOwner = nameOwnerOf(objects, claim?.namespace);',
    becomes: '  const nameOwner = nameOwnerOf(objects);',
  },
  {
    what: 'a version counts from the moment when it was seen',
    file: 'src/audit/derive/times.ts',
    line: '    const earliestAt = Math.min(stated, at);',
    becomes: '    const earliestAt = Math.max(stated, at);',
  },
  {
    what: 'the versions of a batch are not stored',
    file: 'src/audit/archive/versions/store-versions.ts',
    line: '    stepOf(insertVersions, rowsOf(versions)),',
    becomes: '    stepOf(insertVersions, rowsOf(versions).slice(1)),',
  },
  {
    what: 'a leader that was paused writes what it decided on before',
    file: 'src/app/fence.ts',
    line: '  const beforeSend = async () => requireCurrent(term);',
    becomes: '  const beforeSend = async () => void (term && requireCurrent);',
  },
  {
    what: 'a segment does not learn that another number of flags uses it',
    file: 'src/kinds/segment.ts',
    line: '      onChange(flags, countFlags),\n',
    becomes: '',
  },
];
