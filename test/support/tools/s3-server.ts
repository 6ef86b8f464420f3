/** A real server with the API of S3, on a folder of its own, built from its pinned module. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { modulePrograms } from './module-programs.ts';

export interface S3Server {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The folder of a bucket, with its objects as files. */
  readonly folderOf: (bucket: string) => string;
  /** Ends the program and keeps its data. */
  halt(): Promise<void>;
  /** Starts it again, at the same address. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when the server answers. It listens on the loopback address. */
export async function startS3Server(): Promise<S3Server> {
  const programs = await modulePrograms({
    module: 'github.com/versity/versitygw',
    programs: ['versitygw'],
    instead: 'leave out the test with a real S3 server',
  });
  const folder = await mkdtemp(join(tmpdir(), 'vexil-s3-'));
  const [data = '', metadata = '', versions = ''] = ['data', 'metadata', 'versions'].map((name) => join(folder, name));
  await Promise.all([data, metadata, versions].map((path) => mkdir(path)));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const args = [
    '--port',
    `127.0.0.1:${port}`,
    '--quiet',
    'posix',
    '--sidecar',
    metadata,
    '--versioning-dir',
    versions,
    data,
  ];
  let end = async (): Promise<void> => undefined;

  async function resume(): Promise<void> {
    const env = { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey };
    const child = spawn(join(programs, 'versitygw'), args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk;
    });
    end = () => {
      child.kill('SIGKILL');
      return ended;
    };
    await waitUntil({ what: 'versitygw answers' }, async () => {
      if (child.exitCode !== null) throw new Error(`versitygw has ended:\n${log}`);
      return (await fetch(url).catch(() => undefined)) !== undefined;
    });
  }

  await resume();
  return {
    ...{ url, accessKey, secretKey, resume },
    folderOf: (bucket) => join(data, bucket),
    halt: () => end(),
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
