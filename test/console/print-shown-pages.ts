/** Vitest runs this file for each test file, whereas a process loads the other modules once. */
import { printShownPages } from './shown-pages.ts';

printShownPages();
