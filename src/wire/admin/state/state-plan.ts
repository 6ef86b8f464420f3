/** The result that an import would have, for a dry run. */
import { z } from 'zod';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { StatePlan } from '../../../domain/state/plan.ts';
import { type AskedFor, askedSentence } from '../../../domain/usage/removal.ts';
import type { ErrorDetail } from '../../../errors.ts';
import { detailMessage, detailPath } from '../../../model/invalid-input.ts';
import type { StateNote } from './state-doubts.ts';
import { type Repair, repairDetail } from './state-repairs.ts';

/** As many as conflicts. */
const MAX_REPAIRS = 1000;

const names = z.array(z.string());
const byKind = { environments: names, projects: names, strategies: names, segments: names, features: names };

interface PlannedImport {
  readonly plan: StatePlan;
  readonly conflicts: readonly ErrorDetail[];
  readonly asked: readonly AskedFor[];
  readonly repairs: readonly Repair[];
  readonly doubts: readonly StateNote[];
}

export const wireStatePlan = z
  .object({
    created: z.object(byKind),
    changed: z.object(byKind).meta({ description: 'Existing projects and environments are never changed.' }),
    deleted: z.object(byKind),
    skipped: z.object(byKind).meta({ description: 'Objects that exist and stay unchanged.' }),
    conflicts: z
      .array(z.object({ path: z.string().optional(), message: z.string() }))
      .meta({ description: 'If there is a conflict, the import is refused and nothing is written.' }),
    warnings: z.array(z.object({ message: z.string() })).meta({
      description:
        'Flags that the import removes, and that SDKs asked for in production in the last 24 hours; what it writes in another way than the document has it; and what the document does not say, although it decides who gets a flag.',
    }),
  })
  .meta({ id: 'StatePlan', description: 'The changes that an import would make, by name.' });

export function presentStatePlan({
  plan,
  conflicts,
  asked,
  repairs,
  doubts,
}: PlannedImport): z.infer<typeof wireStatePlan> {
  const { environments, projects, strategyTypes, segments, flags, skipped } = plan;
  const named = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  const none = { environments: [], projects: [] };
  return {
    created: {
      environments: named(environments),
      projects: named(projects),
      strategies: named(strategyTypes.created),
      segments: named(segments.created),
      features: named(flags.created),
    },
    changed: {
      ...none,
      strategies: strategyTypes.changed.map(({ object }) => wireNameOf(object)),
      segments: segments.changed.map(({ object }) => wireNameOf(object)),
      features: flags.changed.map(({ object }) => wireNameOf(object)),
    },
    deleted: {
      ...none,
      strategies: strategyTypes.deleted.map(wireNameOf),
      segments: segments.deleted.map(wireNameOf),
      features: flags.deleted.map(wireNameOf),
    },
    skipped: {
      environments: [...skipped.environments],
      projects: [...skipped.projects],
      strategies: [...skipped.strategies],
      segments: [...skipped.segments],
      features: [...skipped.features],
    },
    conflicts: conflicts.map(presentConflict),
    warnings: [
      ...asked.map(askedSentence),
      ...repairs.slice(0, MAX_REPAIRS).map((repair) => detailMessage(repairDetail(repair))),
      ...doubts.slice(0, MAX_REPAIRS).map(({ path, advice }) => `${path}: ${advice}`),
    ].map((message) => ({ message })),
  };
}

function presentConflict(detail: ErrorDetail) {
  const path = detailPath(detail);
  return { ...(path !== undefined && { path }), message: detailMessage(detail) };
}
