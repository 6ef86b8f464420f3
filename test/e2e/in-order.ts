/** The order of the end-to-end tests: the first release brings the definitions, as on a fresh cluster; the others find them. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FIRST = ['e2e/install.test.ts', 'e2e/replicas.test.ts'];

export class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byName = files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId));
    return byName.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = FIRST.findIndex((file) => moduleId.endsWith(`/test/${file}`));
  return place === -1 ? FIRST.length : place;
}
