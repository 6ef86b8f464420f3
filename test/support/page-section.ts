/** A part of a page that is made from test results. The test fails if the page differs. */
import { readFile, writeFile } from 'node:fs/promises';
import { env } from 'node:process';
import { expect } from 'vitest';

/** Compares the text between `<!-- NAME -->` and `<!-- /NAME -->`. With VEXIL_WRITE_PAGES=1 it writes the page. */
export async function expectSection(page: URL, name: string, wanted: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  const [before, rest] = halves(text, `<!-- ${name} -->\n`);
  const [section, after] = halves(rest, `<!-- /${name} -->`);
  if (env['VEXIL_WRITE_PAGES'] === '1') {
    await writeFile(page, `${before}<!-- ${name} -->\n${wanted}\n<!-- /${name} -->${after}`);
    return;
  }
  expect(section.trim(), 'write it anew with VEXIL_WRITE_PAGES=1').toBe(wanted.trim());
}

function halves(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`the page has no ${mark.trim()}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
