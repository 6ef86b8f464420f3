/**
 * Imported by each program before the modules that do its work. V8 14 ends the process if garbage is collected within a
 * "fast API call" and thereby invalidates the code that made the call: "Lazy deopt after a fast API call with return
 * value is unsupported". Node.js 25 and 26 find the length of a text by such a call, whenever one is written to a
 * response, and a text that has to be joined first takes memory: an answer of a megabyte could end the operator (ADR
 * 82).
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-turbo-fast-api-calls');
