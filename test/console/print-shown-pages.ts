import { printShownPages } from './shown-pages.ts';

printShownPages();
