/** The audit events of flags, including those in their environments. */
import { isDeepStrictEqual } from 'node:util';
import { dependenciesOf } from '../../domain/flag/dependencies.ts';
import { metadataOf } from '../../domain/flag/edit/edit-flag.ts';
import { isArchived } from '../../domain/flag/flag-values.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { stampedAuthorOf } from '../../domain/identity/author.ts';
import { alertActionsIn } from '../../schema/alert-action.ts';
import type { Dependency } from '../../schema/dependency.ts';
import type { FeatureFlag, FlagStatus } from '../../schema/feature-flag.ts';
import { bypassIn } from '../../schema/freeze.ts';
import { auditEvent } from './audit-event.ts';
import { environmentNamesOf, type FlagChange, namesOfFlag, placeOfFlag } from './flag-change.ts';
import { diffEnvironment, diffStrategies, diffSwitch, diffWindow } from './flag-environment.ts';
import { diffMoments } from './flag-moments.ts';
import { diffVariants } from './flag-variants.ts';
import type { EventMapping } from './kind.ts';
import type { Shapes } from './shapes.ts';
import { diffFlagGrants } from './used-grants.ts';

const flagLifecycle = {
  created: 'feature-created',
  updated: 'feature-updated',
  deleted: 'feature-deleted',
} as const;

export function flagMapping(shapes: Shapes): EventMapping<FeatureFlag> {
  const place = (flag: FeatureFlag) => placeOfFlag(shapes, flag);
  return {
    types: () => flagLifecycle,
    place,
    placeByNames: namesOfFlag,
    shape: shapes.feature,
    alsoNew: (after) => recordBeginning({ shapes, after, place: place(after) }),
    changed: (before, after) => diffChange({ shapes, before, after, place: place(after) }),
  };
}

/** The event of the creation contains tags, variants and metadata, so they have no events of their own. */
function recordBeginning(change: FlagChange): readonly AuditEvent[] {
  const names = environmentNamesOf(change);
  return [
    ...names.flatMap((name) => diffStrategies(change, name)),
    ...names.flatMap((name) => diffWindow(change, name)),
    ...names.flatMap((name) => diffSwitch(change, name)),
    ...diffMoments(change),
    ...diffBypasses(change),
    ...diffPotentiallyStale(change),
  ];
}

/** The event of the revival precedes the events of switches. */
function diffChange(change: FlagChange): readonly AuditEvent[] {
  return [
    ...diffMoments(change),
    ...diffMetadata(change),
    ...diffArchiving(change),
    ...diffVariants(change),
    ...diffTags(change),
    ...diffDependencies(change),
    ...environmentNamesOf(change).flatMap((name) => diffEnvironment(change, name)),
    ...diffAlerts(change),
    ...diffBypasses(change),
    ...diffFlagGrants(change),
    ...diffPotentiallyStale(change),
  ];
}

function diffMetadata({ shapes, before, after, place }: FlagChange): readonly AuditEvent[] {
  if (!before || isDeepStrictEqual(metadataOf(before.spec), metadataOf(after.spec))) return [];
  const shown = { data: shapes.feature(after), preData: shapes.feature(before) };
  const updated = auditEvent('feature-metadata-updated', place, shown);
  const [was, is] = [metadataOf(before.spec).stale, metadataOf(after.spec).stale];
  return was === is ? [updated] : [updated, auditEvent(is ? 'feature-stale-on' : 'feature-stale-off', place)];
}

function diffArchiving({ before, after, place }: FlagChange): readonly AuditEvent[] {
  if (!before || isArchived(before) === isArchived(after)) return [];
  return [auditEvent(isArchived(after) ? 'feature-archived' : 'feature-revived', place)];
}

function diffTags({ shapes, before, after, place }: FlagChange): readonly AuditEvent[] {
  const [old, next] = [before?.spec.tags ?? [], after.spec.tags ?? []];
  const tagData = (tag: string) => ({ ...shapes.tag(tag) });
  const added = next.filter((tag) => !old.includes(tag));
  const removed = old.filter((tag) => !next.includes(tag));
  return [
    ...added.map((subject) => auditEvent('feature-tagged', place, { subject, data: tagData(subject) })),
    ...removed.map((subject) => auditEvent('feature-untagged', place, { subject, preData: tagData(subject) })),
  ];
}

function diffDependencies({ shapes, before, after, place }: FlagChange): readonly AuditEvent[] {
  const [old, next] = [before ? dependenciesOf(before) : [], dependenciesOf(after)];
  const dependencyData = (one: Dependency) => shapes.dependency(one);
  const without = (list: readonly Dependency[], others: readonly Dependency[]) =>
    list.filter((one) => !others.some((other) => isDeepStrictEqual(dependencyData(one), dependencyData(other))));
  return [
    ...without(old, next).map((one) =>
      auditEvent('feature-dependency-removed', place, { subject: one.feature, preData: dependencyData(one) }),
    ),
    ...without(next, old).map((one) =>
      auditEvent('feature-dependency-added', place, { subject: one.feature, data: dependencyData(one) }),
    ),
  ];
}

/** Alerts that acted in the generations of this step, from what the flag records of them (ADR 58). */
function diffAlerts({ place, before, after }: FlagChange): readonly AuditEvent[] {
  const { generation, annotations } = after.metadata;
  const since = before?.metadata.generation ?? generation;
  return alertActionsIn(annotations)
    .filter((one) => one.generation > since && one.generation <= generation)
    .map((one) => {
      const { did: action, environment, alert, link, fingerprint, startsAt } = one;
      const data = { alert, link, action, fingerprint, startsAt };
      return auditEvent('feature-alert-action', { ...place, environment }, { subject: `${one.generation}`, data });
    });
}

/** Freezes that the change bypassed, from its stamp. */
function diffBypasses({ place, before, after: { metadata } }: FlagChange): readonly AuditEvent[] {
  const isStamped = stampedAuthorOf(metadata) !== undefined;
  const bypass = bypassIn(metadata.annotations);
  if (!isStamped || !bypass || before?.metadata.generation === metadata.generation) return [];
  const { freezes, reason } = bypass;
  return freezes.map(({ environment, name, until }) => {
    const data = { name, until, reason };
    return auditEvent('feature-freeze-bypassed', { ...place, environment }, { subject: name, data });
  });
}

/** Time causes this event, even if a user changed the flag meanwhile. */
function diffPotentiallyStale({ before, after, place }: FlagChange): readonly AuditEvent[] {
  const isNew = isPotentiallyStale(after.status) && !isPotentiallyStale(before?.status);
  return isNew ? [auditEvent('feature-potentially-stale-on', place)] : [];
}

function isPotentiallyStale(status: Pick<FlagStatus, 'conditions'> | undefined): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'PotentiallyStale' && is === 'True') ?? false;
}
