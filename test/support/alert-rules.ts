/** The shipped alerts, with the cases that promtool runs on them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const CASES = join(PROJECT, 'test/samples/alert-rules');

/** The programs with alerts. */
export type Watched = 'operator' | 'edge';

/** By the program that they are about. */
export const RULE_FILES: Readonly<Record<Watched, string>> = {
  operator: join(PROJECT, 'config/monitoring/rules.yaml'),
  edge: join(PROJECT, 'config/monitoring/edge-rules.yaml'),
};

type Texts = Readonly<Record<string, string>>;

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: Texts;
}

interface ExpectedAlert {
  readonly exp_labels: Texts;
  readonly exp_annotations?: Texts;
}

/** A test of promtool. */
export interface AlertCase {
  readonly name: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly eval_time: string;
    readonly exp_alerts: readonly ExpectedAlert[];
  }[];
}

export interface CaseFile {
  readonly rule_files: readonly string[];
  readonly tests: readonly AlertCase[];
}

const read = <Shape>(path: string): Shape => parse(readFileSync(path, 'utf8'));

export function shippedAlerts(of: Watched): readonly Alert[] {
  const { groups } = read<{ readonly groups: readonly { readonly rules: readonly Alert[] }[] }>(RULE_FILES[of]);
  return groups.flatMap(({ rules }) => rules);
}

export const everyAlert = (): readonly Alert[] => [...shippedAlerts('operator'), ...shippedAlerts('edge')];

/** Returns the cases as they are written, by the name of their file. */
export function alertCases(): ReadonlyMap<string, CaseFile> {
  return new Map(readdirSync(CASES).map((name) => [name, read<CaseFile>(join(CASES, name))]));
}

/** Returns the cases as promtool reads them: with the severity of each alert, and its texts that have no templates. */
export function completed(file: CaseFile, alerts: readonly Alert[]): CaseFile {
  const complete = (name: string, { exp_labels, exp_annotations }: ExpectedAlert): ExpectedAlert => {
    const { labels, annotations = {} } = alerts.find(({ alert }) => alert === name) ?? {};
    const constant = Object.entries(annotations).filter(([, text]) => !text.includes('{{'));
    return {
      exp_labels: { ...labels, ...exp_labels },
      exp_annotations: { ...Object.fromEntries(constant), ...exp_annotations },
    };
  };
  const tests = file.tests.map((one) => ({
    ...one,
    alert_rule_test: one.alert_rule_test.map((test) => ({
      ...test,
      exp_alerts: test.exp_alerts.map((expected) => complete(test.alertname, expected)),
    })),
  }));
  return { ...file, rule_files: file.rule_files.map((path) => join(PROJECT, path)), tests };
}
