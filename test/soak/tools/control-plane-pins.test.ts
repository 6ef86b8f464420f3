/** The values that the launcher of the control plane reads from go.mod. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compareVersions, readPins } from '../../../scripts/tools/pins.ts';

describe('the pins of the control plane', () => {
  it('are found in a block of requirements', () => {
    const goMod = 'module m\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/kubernetes v1.36.3\n)\n';
    expect(readPins(goMod)).toEqual({ kubernetes: '1.36.3', go: '1.26.0' });
  });

  it('are found in a requirement on its own', () => {
    expect(readPins('go 1.26\nrequire k8s.io/kubernetes v1.36.3\n').kubernetes).toBe('1.36.3');
  });

  it('are complete in the go.mod of this project', async () => {
    const goMod = await readFile(new URL('../../controlplane/go.mod', import.meta.url), 'utf8');
    expect(readPins(goMod).kubernetes).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('are named if they are missing', () => {
    expect(() => readPins('go 1.26.0\n')).toThrow('does not name k8s.io/kubernetes');
  });

  it.each([
    { left: '1.26.8', right: '1.26.0', want: 1 },
    { left: '1.9', right: '1.26.0', want: -1 },
    { left: '1.26', right: '1.26.0', want: 0 },
    { left: '2.0.0', right: '1.26.0', want: 1 },
  ])('compare by number: $left with $right', ({ left, right, want }) => {
    expect(Math.sign(compareVersions(left, right))).toBe(want);
  });
});
