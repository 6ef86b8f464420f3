/**
 * Imported before all else. The first process of a container is not told of a signal that it has not asked for, and to load
 * the rest takes half a second: signals that arrive meanwhile wait for the listeners that are installed afterwards.
 */
import process from 'node:process';

const leave = (): void => undefined;
process.on('SIGTERM', leave).on('SIGINT', leave);
