/** Reads the contexts for which two servers are compared. */
import { readFile } from 'node:fs/promises';
import type { FieldsOfContext } from '../../src/evaluation/contexts/document-flags.ts';
import { isRecord } from '../../src/model/json.ts';
import { InputError } from '../failure.ts';

/** Reads a list of contexts as SDKs write them, or one context a line. Throws an InputError. */
export async function readContexts(file: string): Promise<readonly FieldsOfContext[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new InputError(`cannot read the contexts: ${error.message}`);
  });
  const list = text.trimStart().startsWith('[')
    ? parsed(text, file)
    : linesOf(text).map((line, index) => parsed(line, `${file}:${index + 1}`));
  if (!Array.isArray(list) || list.length === 0) throw new InputError(`${file} has no context`);
  return list.map((one, index) => contextOf(one, `${file}: context ${index + 1}`));
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${place} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function contextOf(value: unknown, place: string): FieldsOfContext {
  if (!isRecord(value)) throw new InputError(`${place} is no object`);
  const { properties, ...fields } = value;
  const all = { ...(isRecord(properties) && properties), ...fields };
  const known = Object.entries(all).filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one));
  return Object.fromEntries(known.map(([name, one]) => [name, String(one)]));
}
