/** A real server with the API of S3, on a folder of its own, built from its pinned module. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { modulePrograms } from './module-programs.ts';
import { isListening, type RunningServer, runServer } from './run-server.ts';

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
  const [port = 0] = await freePorts(1);
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
  let server: RunningServer;

  async function resume(): Promise<void> {
    server = await runServer({
      program: join(programs, 'versitygw'),
      args,
      env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
      isReady: () => isListening(port),
    });
  }

  await resume();
  return {
    ...{ url, accessKey, secretKey, resume },
    folderOf: (bucket) => join(data, bucket),
    halt: () => server.stop(),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
