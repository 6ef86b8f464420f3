/** The exit status of an import is 0 if nothing is lost, and each loss has one entry. */
import { expect, test } from 'vitest';
import { importFiles } from '../../../cli/import/import-file.ts';
import { importSummary, lossesIn } from '../../../cli/import/report.ts';

const anExport = (more: object, strategy: object = {}) => ({
  dependencies: [],
  features: [{ name: 'flag', project: 'shop' }],
  featureEnvironments: [{ featureName: 'flag', environment: 'production', enabled: true }],
  featureStrategies: [
    {
      id: '6c1f8a52-3f0e-4f0e-9d8e-2f5d7c9b1a10',
      featureName: 'flag',
      environment: 'production',
      strategyName: 'default',
      ...strategy,
    },
  ],
  ...more,
});

async function unmappedOf(document: object) {
  const options = { context: [], environment: 'default', project: undefined, namespace: 'shop', now: 0 };
  const source = { file: 'export.json', text: JSON.stringify(document) };
  const target = { ...options, operatorNamespace: 'vexil-system', replacing: undefined };
  return (await importFiles({ sources: [source], ...target })).unmapped;
}

test('context fields are no loss: those of every Unleash are not named, others are a note', async () => {
  const unmapped = await unmappedOf(
    anExport({ contextFields: [{ name: 'userId' }, { name: 'appName' }, { name: 'region' }] }),
  );
  expect(unmapped).toEqual([expect.objectContaining({ value: { name: 'region' }, isNote: true })]);
  expect(lossesIn(unmapped)).toEqual([]);
  const report = { unmapped, added: [], written: ['flag.yaml'], unchanged: [] };
  expect(importSummary(report, 'flags/')).toBe('1 file written, 0 unchanged, 0 not mapped\n');
  expect(importSummary({ ...report, written: [] }, undefined)).toBe('0 not mapped\n');
});

test('a strategy that is lost has one entry, which says that the flag is off', async () => {
  const unmapped = await unmappedOf(anExport({ segments: [{ id: 1, name: 'beta' }] }, { segments: [1] }));
  expect(unmapped.filter(({ path }) => path.includes('enabled'))).toEqual([]);
  expect(unmapped.filter(({ path }) => path.includes('flag'))).toEqual([
    expect.objectContaining({ advice: expect.stringContaining('The flag is written switched off.') }),
  ]);
});
