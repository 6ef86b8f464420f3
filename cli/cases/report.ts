/** Results of cases as text, JSON and JUnit XML. */
import { placeText } from '../manifests/place.ts';
import { plural } from '../plural.ts';
import { jsonText, printableLines } from '../terminal.ts';
import type { TestCase } from './read-cases.ts';
import type { CaseResult } from './run-cases.ts';

export function caseName({ name, flag, environment, context }: TestCase): string {
  if (name !== undefined) return name;
  const given = Object.entries(context).map(([field, value]) => `${field}=${value}`);
  return `${flag} in ${environment}${given.length === 0 ? '' : ` for ${given.join(',')}`}`;
}

function failed(results: readonly CaseResult[]): readonly CaseResult[] {
  return results.filter(({ failure }) => failure !== undefined);
}

export function casesText(results: readonly CaseResult[]): string {
  const lines = failed(results).map(
    ({ testCase, failure }) => `${placeText(testCase.place)}: failed: ${caseName(testCase)}: ${failure}`,
  );
  return `${printableLines(lines)}${plural(results.length, 'case')}, ${lines.length} failed\n`;
}

export function casesJson(results: readonly CaseResult[]): string {
  const cases = results.map(({ testCase: { place, ...one }, failure }) => ({
    ...place,
    ...one,
    passed: failure === undefined,
    failure: failure ?? null,
  }));
  return jsonText({ total: results.length, failed: failed(results).length, cases });
}

/** Returns a test suite for each file, as continuous integration servers read them. */
export function casesJunit(results: readonly CaseResult[]): string {
  const suites = [...Map.groupBy(results, ({ testCase }) => testCase.place.file)].map(([file, ofFile]) =>
    [
      `  <testsuite ${attributes({ name: file, ...counts(ofFile) })}>`,
      ...ofFile.flatMap(element),
      '  </testsuite>',
    ].join('\n'),
  );
  const opening = `<testsuites ${attributes({ name: 'vexil test', ...counts(results) })}>`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', opening, ...suites, '</testsuites>', ''].join('\n');
}

function counts(results: readonly CaseResult[]) {
  return { tests: results.length, failures: failed(results).length, errors: 0 };
}

function element({ testCase, failure }: CaseResult): readonly string[] {
  const { flag, place } = testCase;
  const opening = `    <testcase ${attributes({ name: caseName(testCase), classname: flag, file: place.file, line: place.line })}`;
  if (failure === undefined) return [`${opening}/>`];
  return [`${opening}>`, `      <failure ${attributes({ message: failure })}/>`, '    </testcase>'];
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(`${value}`)}"`)
    .join(' ');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML allows only these three control characters, and no others even as character references. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
