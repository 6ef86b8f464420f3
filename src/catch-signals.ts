/**
 * Imported before all other modules. The first process of a container does not get a signal without a listener, and
 * loading the rest takes half a second: signals that arrive meanwhile wait for the listeners that are installed
 * afterwards.
 */
import process from 'node:process';

const leave = (): void => undefined;
process.on('SIGTERM', leave).on('SIGINT', leave);
