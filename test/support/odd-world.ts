/**
 * Odd flags in an operator, as far as the API server accepts them, together with a flag for each rule and Vexil's own
 * answers.
 */

import { expect } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import type { ClientDocument } from '../../src/wire/client/read-document.ts';
import { aFlag, aSegment, aStrategyType } from './builders.ts';
import { vexil } from './evaluation/answers.ts';
import type { Instance } from './instance.ts';
import type { OddAnswers, OddComparison } from './odd-differences.ts';
import { type OddUser, oddFlags, oddUsers } from './odd-flags.ts';
import { OWN_TYPE, ruleFlags, ruleSegment } from './rule-flags.ts';

const COUNT = 300;
/** The least number of flags; the CRD rejects some of them. */
const LEAST = 250;
const odd = oddFlags(COUNT, 2);
const on = { enabled: true, strategies: { all: { name: 'default' } } };

/** A flag that is on for everyone, whatever the others are. */
export const HEALTHY = 'healthy';

/** The healthy flag comes first. */
export async function createOddWorld(instance: Instance, token: string): Promise<OddComparison> {
  await instance.apply(aFlag(`${instance.home}/${HEALTHY}`, { environments: { production: on } }));
  await instance.apply(aStrategyType(`${instance.home}/${OWN_TYPE}`));
  const created = await createOddFlags(instance);
  expect(created.length).toBeGreaterThan(LEAST);
  const flags = [HEALTHY, ...(await createRuleFlags(instance)), ...created];
  // Clients that do not name the specification they follow receive the constraints of segments instead of the segments.
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${instance.url}/api/client/features`, { headers });
  const document = (await answer.json()) as ClientDocument;
  const answerOf = vexil(document);
  const expected = answersOf(flags, (flag, user) => {
    const { enabled, variant } = answerOf(flag, { ...user });
    return `${enabled} ${variant.name}`;
  });
  return { document, flags, users: oddUsers, expected };
}

export function answersOf(flags: readonly string[], answer: (flag: string, user: OddUser) => string): OddAnswers {
  return flags.map((flag) => oddUsers.map((user) => answer(flag, user)));
}

async function createRuleFlags(instance: Instance): Promise<readonly string[]> {
  const manifests = ruleFlags.map(({ name, spec }) => aFlag(`${instance.home}/${name}`, spec));
  await instance.apply(aSegment(`${instance.home}/rule`, ruleSegment), ...manifests);
  await instance.judged(...manifests);
  return ruleFlags.map(({ name }) => name);
}

/** Creates the flags, and returns the names of those that the API server accepts. */
async function createOddFlags(instance: Instance): Promise<readonly string[]> {
  const transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  const path = `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/featureflags`;
  const created: string[] = [];
  await instance.apply(...odd.segments.map((spec, index) => aSegment(`${instance.home}/odd-${index}`, spec)));
  for (const [name, spec] of odd.flags) {
    const body = aFlag(`${instance.home}/${name}`, spec);
    await transport.request({ method: 'POST', path, body }).then(
      () => created.push(body.metadata.name),
      (error: unknown) => {
        if (!isClusterError(error, 'invalid')) throw error;
      },
    );
  }
  transport.close();
  await instance.judged(...created.map((name) => aFlag(`${instance.home}/${name}`)));
  return created;
}
