/** Parses a state document from the bytes of a body: JSON, YAML or a file in a form, with bounded values. */

import { parseStateDocument, type StateParts } from '../../wire/admin/state-sections.ts';
import { checked, unreadable } from '../../wire/check-values.ts';
import { refuseManyInJson, refuseManySignsInYaml } from './count-values.ts';
import { fileInForm } from './form-file.ts';
import { parseJson } from './unambiguous-json.ts';
import { parseYaml } from './yaml-document.ts';

/** Plain data, so that it can be sent to another thread. */
export interface StateUpload {
  readonly bytes: Uint8Array;
  readonly format: 'json' | 'yaml' | 'form';
  /** The Content-Type header, which contains the boundary of a form. */
  readonly contentType: string;
  /** The maximum number of values in the document. */
  readonly maxValues: number;
}

export async function readStateUpload(upload: StateUpload): Promise<StateParts> {
  return parseStateDocument(checked(await parsed(upload)));
}

async function parsed({ bytes, format, contentType, maxValues }: StateUpload): Promise<unknown> {
  if (format === 'form') {
    const { file, name } = await fileInForm(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), contentType);
    return /\.ya?ml$/i.test(name) ? yamlIn(file, maxValues) : jsonIn(file, maxValues);
  }
  return format === 'yaml' ? yamlIn(bytes, maxValues) : jsonIn(bytes, maxValues);
}

function yamlIn(bytes: Uint8Array, maxValues: number): unknown {
  refuseManySignsInYaml(bytes, maxValues);
  return parseYaml(textOf(bytes), maxValues);
}

function jsonIn(bytes: Uint8Array, maxValues: number): unknown {
  refuseManyInJson(bytes, maxValues);
  return parseJson(textOf(bytes));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text without a byte order mark. */
function textOf(bytes: Uint8Array): string {
  try {
    const text = decoder.decode(bytes);
    if (text !== '') return text;
  } catch {
    throw unreadable('The body is not valid UTF-8.');
  }
  throw unreadable('The body is required. It was not present on the data you sent.');
}
