/** The verdicts on users and roles that no cluster can have: stored objects that are refused today. */
import { expect, test } from 'vitest';
import { judgeRole } from '../../../../src/domain/people/judge-role.ts';
import { judgeUser } from '../../../../src/domain/people/judge-user.ts';
import { CREATED, environmentObject, roleObject, userObject } from '../objects.ts';

const NOW = Date.parse(CREATED);
const alone = { conflictingOwner: undefined, idConflictWith: undefined };

test('a stored invalid address is reported without the address', () => {
  const user = userObject('home/ada', { email: 'ada at example.com' });
  const context = {
    user,
    id: 1,
    ...alone,
    subjectConflictsWith: new Map(),
    emailConflictWith: undefined,
    roleNamed: () => undefined,
  };
  const { status } = judgeUser(context, NOW);
  expect(status.problems).toMatchObject([{ reason: 'InvalidSpec', path: 'spec.email' }]);
  expect(JSON.stringify(status)).not.toContain('example.com');
});

test('a stored permission that this version does not know causes a warning, and the others stay', () => {
  const role = roleObject('home/r', { permissions: [{ name: 'UPDATE_FEATURE' }, { name: 'FLY' }] });
  const { status } = judgeRole({ role, id: 6, ...alone, everyEnvironment: new Map() }, NOW);
  expect(status.problems).toMatchObject([
    { severity: 'Warning', reason: 'UnknownPermission', path: 'spec.permissions.1.name' },
  ]);
  expect(status.id).toBe(6);
});

test('a permission for a missing environment causes a warning, and * is every environment', () => {
  const permissions = ['*', 'production', 'moon'].map((environment) => ({ name: 'UPDATE_FEATURE', environment }));
  const role = roleObject('home/r', { permissions });
  const everyEnvironment = new Map([['production', environmentObject('home/production')]]);
  const { status } = judgeRole({ role, id: 7, ...alone, everyEnvironment }, NOW);
  expect(status.problems).toMatchObject([
    { severity: 'Warning', reason: 'EnvironmentNotFound', path: 'spec.permissions.2.environment' },
  ]);
});
