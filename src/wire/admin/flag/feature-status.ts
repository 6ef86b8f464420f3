/** What a flag asks for and what is in effect, on the wire. */
import { z } from 'zod';
import { environmentOfProblem, type FlagEffect } from '../../../domain/flag/effect.ts';
import type { FlagContext } from '../../../domain/flag/flag-context.ts';
import {
  environmentOf,
  environmentsOf,
  isArchived,
  projectIdOf,
  strategiesOf,
} from '../../../domain/flag/flag-values.ts';
import { rampAt } from '../../../domain/flag/ramp.ts';
import { shareOf } from '../../../domain/flag/share.ts';
import { strategyIdOf } from '../../../domain/flag/strategy-id.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { editUrlOf } from '../../../domain/project/edit-url.ts';
import { presentUsageCondition } from '../../../domain/usage/usage-condition.ts';
import type { FieldPath, ProtectableOwner } from '../../../model/field-owner.ts';
import { type Problem, problemReasons, severities, usageReasons } from '../../../schema/condition.ts';
import { type FeatureFlag, type FlagStatus, rampStates, windowStates } from '../../../schema/feature-flag.ts';
import { MAX_RAMP_STEPS } from '../../../schema/ramp.ts';
import { wireNatural, wireNullableText } from '../fields.ts';
import { wireTime } from '../timestamp.ts';
import { presentOwner, wireOwner } from './ownership.ts';

const environmentName = z.string().meta({ examples: ['production'] });

export const wireFeatureStatus = z
  .object({
    uid: z.string().meta({
      description: 'The `metadata.uid` of the custom resource. A flag that is made again is another object.',
    }),
    generation: wireNatural.meta({
      description: 'The generation of the custom resource. Each change of the spec increases it.',
    }),
    resourceVersion: z
      .string()
      .meta({ description: 'The resourceVersion of the custom resource. Each write changes it.' }),
    changedBy: wireNullableText.meta({ description: 'The author of the spec. Null: not known.', examples: ['ada'] }),
    archived: z.boolean().meta({ description: 'An archived flag is off everywhere.' }),
    editUrl: wireNullableText.meta({
      description:
        'The address at which the manifest of the flag is changed in Git, from `spec.editUrl` of its Project ([docs/gitops.md](gitops.md#link-to-the-manifest-in-git)). Null: the Project has none.',
      examples: ['https://git.example.com/flags/edit/main/shop/one-page-checkout.yaml'],
    }),
    environments: z
      .array(
        z
          .object({
            name: environmentName,
            asked: z.boolean().meta({ description: 'Whether the switch is on.' }),
            inEffect: z.boolean().meta({ description: 'Whether the flag is on.' }),
            strategies: wireNatural.meta({ description: 'The number of strategies.' }),
            share: z
              .object({
                percent: z
                  .int()
                  .min(0)
                  .max(100)
                  .meta({
                    description:
                      'The percentage of all users: that of the widest strategy without constraints and segments, with the present step of its ramp.',
                    examples: [25],
                  }),
                targeted: z.boolean().meta({
                  description: 'Other strategies choose users by their properties: more users may have the flag.',
                }),
              })
              .meta({
                id: 'Share',
                description: 'The users that the strategies choose, whether the switch is on or not.',
              }),
            window: z
              .enum(windowStates)
              .nullable()
              .meta({ description: 'Null: the environment has none.', examples: [null] }),
            nextChangeAt: wireTime.nullable().meta({
              description:
                'The next time at which the effective state changes without a write. Null: no change is planned.',
              examples: [null],
            }),
            ramps: z
              .array(
                z
                  .object({
                    strategyId: z.uuid(),
                    state: z.enum(rampStates),
                    step: z
                      .int()
                      .min(0)
                      .max(MAX_RAMP_STEPS)
                      .meta({ description: 'The number of the present step, from 1; 0: the first has not begun.' }),
                    rollout: z.int().min(0).max(100).meta({ description: 'The percentage that is in effect.' }),
                    nextChangeAt: wireTime.nullable().meta({ description: 'The start of the next step.' }),
                  })
                  .meta({ id: 'RampStatus' }),
              )
              .meta({ description: 'The strategies with a ramp, in their order.' }),
            switchOwners: z
              .array(wireOwner)
              .meta({ description: 'The managers that own the switch. Empty: none does.' }),
            switchProtected: z
              .boolean()
              .meta({ description: 'A write of the switch is refused with 409, unless it is forced.' }),
          })
          .meta({ id: 'EnvironmentStatus' }),
      )
      .meta({
        description: 'The environments of the project in their order, then other environments that the flag names.',
      }),
    problems: z
      .array(
        z
          .object({
            severity: z.enum(severities),
            path: z.string().meta({ description: 'The field.', examples: ['spec.environments.production.enabled'] }),
            reason: z.enum(problemReasons),
            message: z.string().meta({ description: 'The problem and how to solve it.' }),
            environment: environmentName.nullable().meta({ description: 'Null: it concerns the flag as a whole.' }),
          })
          .meta({ id: 'FeatureProblem' }),
      )
      .meta({ description: 'Errors first. The part of the flag below the path of an error is not in effect.' }),
    usage: z
      .object({
        reason: z.enum(usageReasons),
        message: z.string().meta({
          examples: ['Asked for in the last 24 hours: production by web-shop'],
        }),
      })
      .nullable()
      .meta({
        description:
          'The condition `Usage` of the custom resource, about the use of the flag ([docs/stale-flags.md](stale-flags.md)). Null: nothing is remarkable.',
      }),
  })
  .meta({ id: 'FeatureStatus', description: 'The desired and the effective state of a flag.' });

export interface StatusView {
  readonly flag: FeatureFlag;
  readonly flagContext: FlagContext;
  readonly effect: FlagEffect;
  /** The status as judged at present. */
  readonly status: FlagStatus;
  readonly ownersAt: (flag: FeatureFlag, path: FieldPath) => readonly ProtectableOwner[];
}

export function presentFeatureStatus(view: StatusView): z.infer<typeof wireFeatureStatus> {
  const { flag, flagContext, status } = view;
  const ofProject = flagContext.environments.map(wireNameOf);
  const named = environmentsOf(flag).map(([name]) => name);
  const names = [...new Set([...ofProject, ...named])];
  const placeholders = { metadata: flag.metadata, flag: wireNameOf(flag), project: projectIdOf(flag) };
  return {
    uid: flag.metadata.uid,
    generation: flag.metadata.generation,
    resourceVersion: flag.metadata.resourceVersion,
    changedBy: status.changedBy ?? null,
    archived: isArchived(flag),
    editUrl: editUrlOf(flagContext.project?.spec.editUrl, placeholders) ?? null,
    environments: names.map((name) => presentEnvironment(name, view)),
    problems: (status.problems ?? []).map((problem) => presentProblem(problem, names)),
    usage: presentUsage(flag),
  };
}

function presentUsage(flag: FeatureFlag) {
  const [condition] = presentUsageCondition(flag);
  const reason = usageReasons.find((one) => one === condition?.reason);
  return condition && reason ? { reason, message: condition.message } : null;
}

function presentEnvironment(name: string, view: StatusView) {
  const { flag, flagContext, effect, ownersAt } = view;
  const environment = environmentOf(flag.spec, name);
  const owners = ownersAt(flag, ['f:environments', `f:${name}`, 'f:enabled']);
  const takesOver = flagContext.project?.spec.managedFields === 'TakeOver';
  return {
    name,
    asked: environment.enabled === true,
    inEffect: effect.enabledIn.has(name),
    strategies: strategiesOf(environment).length,
    share: shareOf(environment, { at: effect.at, pauses: effect.pausesIn(name) }),
    ...presentPlanned(name, view),
    switchOwners: owners.map(presentOwner),
    switchProtected: !takesOver && owners.some(({ isProtected }) => isProtected),
  };
}

function presentPlanned(environment: string, { flag, effect, status }: StatusView) {
  const { strategies } = environmentOf(flag.spec, environment);
  const { window = null, nextChangeAt = null, ramps = {} } = status.environments?.[environment] ?? {};
  return {
    window,
    nextChangeAt,
    ramps: Object.entries(ramps).map(([key, { state, rollout, nextChangeAt: next = null }]) => {
      const { ramp = {} } = strategies?.[key] ?? {};
      return {
        strategyId: strategyIdOf({ flag: wireNameOf(flag), environment, key }),
        state,
        step: rampAt(ramp, { at: effect.at, pauses: effect.pausesIn(environment) }).step,
        rollout,
        nextChangeAt: next,
      };
    }),
  };
}

function presentProblem(problem: Problem, environments: readonly string[]) {
  const { severity, path, reason, message } = problem;
  return { severity, path, reason, message, environment: environmentOfProblem(problem, environments) ?? null };
}
