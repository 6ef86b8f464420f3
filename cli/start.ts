#!/usr/bin/env node
/**
 * Starts the command line, unless Node.js is too old for it. Node.js reads this file and its imports whole before it
 * runs them, so nothing here may need a newer version.
 */
import process from 'node:process';
import manifest from '../package.json' with { type: 'json' };

/** The status of EXIT.unavailable, whose module may not be read yet. */
const UNAVAILABLE = 69;

const [oldest = ''] = /\d+/.exec(manifest.engines.node) ?? [];
const present = process.versions.node;
if (Number.parseInt(present, 10) < Number(oldest)) {
  process.stderr.write(`vexil needs Node.js ${oldest} or newer, this is ${present}\n`);
  process.exitCode = UNAVAILABLE;
} else {
  await import('./main.ts');
}
