/** The file in a form (RFC 7578). */
import { finished, Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { AppError } from '../errors.ts';
import { unreadable } from './check-values.ts';

const FIELD = 'file';
/** A form has one file, and what else browsers and tools put into it. */
const MOST_PARTS = 20;

export interface FormFile {
  readonly file: Buffer;
  /** As the sender calls it; empty: not at all. */
  readonly name: string;
}

/** The bytes of the form are there already, so nothing of it is larger than they are. */
export function fileInForm(form: Buffer, contentType: string): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const files: FormFile[] = [];
    const refuse = (message: string) => reject(unreadable(message));
    const parser = startParser(contentType, form.length);
    parser.on('file', (field, stream, name) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => refuse('The form broke off.'));
      stream.on('end', () => field === FIELD && files.push({ file: Buffer.concat(chunks), name: name ?? '' }));
    });
    parser.on('partsLimit', () => refuse(`The form has more than ${MOST_PARTS} parts. Send the file alone.`));
    finished(parser, { readable: false }, (error) => {
      const [file, second] = files;
      if (error) refuse(`The form cannot be read: ${error.message.slice(0, 200)}.`);
      else if (second) refuse(`The form has several files named "${FIELD}". Send one at a time.`);
      else if (file) resolve(file);
      else refuse(`The form has no file named "${FIELD}".`);
    });
    Readable.from([form]).pipe(parser);
  });
}

function startParser(contentType: string, mostBytes: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // A file that was sent as plain text is one, too.
      isPartAFile: (field, type, name) => field === FIELD || name !== undefined || type === 'application/octet-stream',
      limits: { parts: MOST_PARTS, fileSize: mostBytes, fieldSize: mostBytes, headerPairs: 100 },
    });
  } catch {
    throw new AppError(
      'unsupported-media-type',
      'The form has no boundary in its Content-Type, so its parts cannot be told apart.',
    );
  }
}
