/** Each alert has a case in which it fires, and one in which it stays quiet about what it measures. */
import { describe, expect, test } from 'vitest';
import { type AlertCase, alertCases, everyAlert } from '../../support/alert-rules.ts';
import { selectorsIn } from '../../support/promql.ts';

const alerts = everyAlert();
const cases: readonly AlertCase[] = [...alertCases().values()].flatMap(({ tests }) => tests);

const metricsOf = ({ input_series: series }: AlertCase) =>
  series.flatMap(({ series: selector }) => selectorsIn(selector).map(({ metric }) => metric));

test('a case is about one shipped alert, and its name begins with it', () => {
  const names = alerts.map(({ alert }) => alert);
  for (const { name, alert_rule_test: tests } of cases) {
    const [alert] = new Set(tests.map(({ alertname }) => alertname));
    const word = tests.every(({ exp_alerts: expected }) => expected.length > 0) ? 'fires' : 'is quiet';
    expect(name.startsWith(`${alert} ${word}: `), name).toBe(true);
    expect(names, name).toContain(alert);
  }
});

describe.each(alerts)('$alert', ({ alert, expr }) => {
  const [firing = [], quiet = []] = ['fires', 'is quiet'].map((word) =>
    cases.filter(({ name }) => name.startsWith(`${alert} ${word}: `)),
  );

  test('fires', () => {
    expect(firing.length).toBeGreaterThan(0);
  });

  test('is quiet, with values for each of its metrics', () => {
    expect(quiet.length).toBeGreaterThan(0);
    const asked = [...new Set(selectorsIn(expr).map(({ metric }) => metric))];
    for (const one of quiet) expect(metricsOf(one)).toEqual(expect.arrayContaining(asked));
  });
});
