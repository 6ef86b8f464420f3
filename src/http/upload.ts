/** Reads a document that is sent as JSON, as YAML or as a file in a form, bounded in every way. */
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import { AppError } from '../errors.ts';
import { checked, JSON_TYPES, type ReadBody, readWith, unreadable } from './body.ts';
import { fileInForm } from './form-file.ts';
import { parseJson } from './unambiguous-json.ts';
import { parseYaml } from './yaml-document.ts';

export const YAML_TYPE = 'application/yaml';
export const FORM_TYPE = 'multipart/form-data';
/** Older names come first to some clients. */
const YAML_TYPES = [YAML_TYPE, 'text/yaml', 'application/x-yaml', 'text/x-yaml'];

/** `limitBytes` counts what is left after decompression, a form as a whole. */
export function uploadReader(limitBytes: number): ReadBody {
  const readAny = express.raw({ limit: limitBytes, type: () => true });
  return async (request, response) => {
    const type = request.is([...JSON_TYPES, ...YAML_TYPES, FORM_TYPE]);
    if (type === false) throw wrongType(request.headers['content-type']);
    const bytes: Buffer = (await readWith(request, response, { read: readAny, limitBytes })) ?? Buffer.alloc(0);
    const value = await parsed(bytes, type, request.headers['content-type'] ?? '');
    // Others are served between two steps that take their time.
    await setImmediate();
    return checked(value);
  };
}

async function parsed(bytes: Buffer, type: string | null, contentType: string): Promise<unknown> {
  if (type === FORM_TYPE) {
    const { file, name } = await fileInForm(bytes, contentType);
    return /\.ya?ml$/i.test(name) ? parseYaml(textOf(file)) : parseJson(textOf(file));
  }
  return YAML_TYPES.includes(type ?? '') ? parseYaml(textOf(bytes)) : parseJson(textOf(bytes));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Without a byte order mark. */
function textOf(bytes: Buffer): string {
  try {
    const text = decoder.decode(bytes);
    if (text !== '') return text;
  } catch {
    throw unreadable('The body is not valid UTF-8.');
  }
  throw unreadable('The body is required. It was not present on the data you sent.');
}

function wrongType(sent: string | undefined): AppError {
  const what = sent === undefined ? 'sent no body with a content type' : `sent ${JSON.stringify(sent.slice(0, 100))}`;
  return new AppError(
    'unsupported-media-type',
    `This endpoint takes a body of content type application/json, application/yaml or multipart/form-data. You ${what}.`,
  );
}
