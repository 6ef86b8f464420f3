/** Reads a state document from the bytes of a body: JSON, YAML or a file in a form, bounded in every way. */
import { checked, unreadable } from './check-values.ts';
import { refuseManyInJson, refuseManySignsInYaml } from './count-values.ts';
import { fileInForm } from './form-file.ts';
import { parseJson } from './unambiguous-json.ts';
import { parseStateDocument, type StateParts } from './wire/state-sections.ts';
import { parseYaml } from './yaml-document.ts';

/** Plain data: it goes to another thread. */
export interface StateUpload {
  readonly bytes: Uint8Array;
  readonly format: 'json' | 'yaml' | 'form';
  /** The header; of a form it has the boundary. */
  readonly contentType: string;
  /** How many values the document may have. */
  readonly mostValues: number;
}

export async function readStateUpload(upload: StateUpload): Promise<StateParts> {
  return parseStateDocument(checked(await parsed(upload)));
}

async function parsed({ bytes, format, contentType, mostValues }: StateUpload): Promise<unknown> {
  if (format === 'form') {
    const { file, name } = await fileInForm(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), contentType);
    return /\.ya?ml$/i.test(name) ? yamlIn(file, mostValues) : jsonIn(file, mostValues);
  }
  return format === 'yaml' ? yamlIn(bytes, mostValues) : jsonIn(bytes, mostValues);
}

function yamlIn(bytes: Uint8Array, mostValues: number): unknown {
  refuseManySignsInYaml(bytes, mostValues);
  return parseYaml(textOf(bytes), mostValues);
}

function jsonIn(bytes: Uint8Array, mostValues: number): unknown {
  refuseManyInJson(bytes, mostValues);
  return parseJson(textOf(bytes));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Without a byte order mark. */
function textOf(bytes: Uint8Array): string {
  try {
    const text = decoder.decode(bytes);
    if (text !== '') return text;
  } catch {
    throw unreadable('The body is not valid UTF-8.');
  }
  throw unreadable('The body is required. It was not present on the data you sent.');
}
