/** Grafana shows each panel of a dashboard in a place of its own. */
import { describe, expect, test } from 'vitest';
import { dashboardPanels, dashboardQueries } from '../../support/dashboard.ts';

describe.each(['operator', 'edge'] as const)('the dashboard of the %s', (of) => {
  test('each panel has its own id', () => {
    const ids = dashboardPanels(of).map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('no two panels take the same cell', () => {
    const cells = dashboardPanels(of).flatMap(({ title, gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => ({ title, cell: `${x + (cell % w)}/${y + Math.floor(cell / w)}` })),
    );
    const shared = [...Map.groupBy(cells, ({ cell }) => cell).values()].filter(({ length }) => length > 1);
    expect(shared).toEqual([]);
  });

  test('the tests know each variable of the queries', () => {
    expect(dashboardQueries(of).filter((query) => query.includes('$'))).toEqual([]);
  });
});
