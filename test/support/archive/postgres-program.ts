/** Runs a PostgreSQL until its input ends. Prints the URL of an archive without entries, which is a template. */
import { startPostgres } from './postgres.ts';

const server = await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=300']);
process.stdout.write(`${await server.freshArchive()}\n`);
process.stdin.on('end', () => void server.stop()).resume();
