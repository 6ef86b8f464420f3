/** By which rules YAML of other products is read: objects of Kubernetes as kubectl does, other files as YAML 1.2. */
import { expect, test } from 'vitest';
import { readImports } from '../../../cli/import/read-imports.ts';

const flags = (indent: string) =>
  ['  f:', '    state: ENABLED', '    variants: {old: 017, new: 1}', '    defaultVariant: old']
    .map((line) => indent + line)
    .join('\n');
const ofOperator = `apiVersion: core.openfeature.dev/v1beta1
kind: FeatureFlag
metadata: {name: sample}
spec:
  flagSpec:
    flags:
${flags('    ')}
`;

test.each([
  ['an object of the OpenFeature Operator', ofOperator, '15'],
  ['a file of flagd', `flags:\n${flags('')}\n`, '17'],
])('%s', async (_, text, expected) => {
  const options = { environment: 'production', project: 'shop' };
  const { objects } = await readImports([{ file: 'f.yaml', text }], options);
  const variants = [{ name: 'old', payload: { type: 'number', value: expected } }];
  const environments = { production: { strategies: { 'rule-1': { variants } } } };
  expect(objects).toMatchObject([{ spec: { environments } }]);
});
