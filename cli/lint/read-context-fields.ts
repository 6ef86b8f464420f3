/** Reads a list of context fields: the value of VEXIL_CONTEXT_FIELDS, or what `GET /context` answers. */
import { z } from 'zod';
import { type ContextField, contextField } from '../../src/model/context-field.ts';
import { readYaml } from '../../src/model/yaml/yaml.ts';
import { InputError } from '../failure.ts';
import { readSources } from '../manifests/source.ts';

const list = z.array(contextField);

/** Throws an InputError if the file is no such list. */
export async function readContextFields(file: string): Promise<readonly ContextField[]> {
  const noInput = () => Promise.resolve('');
  const [source] = await readSources([file], noInput);
  const { data, error } = list.safeParse(readList(file, source?.text ?? ''));
  if (data) return data;
  const [issue] = error.issues;
  throw new InputError(`${file} is no list of context fields: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
}

function readList(file: string, text: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    throw new InputError(`${file} is neither YAML nor JSON: ${error instanceof Error ? error.message : error}`);
  }
}
