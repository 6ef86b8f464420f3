/** Summaries of the history as plain text. */
import { expect, test } from 'vitest';
import { withoutMarkdown } from '../../../cli/flags/without-markdown.ts';
import { bold, boldLink } from '../../../src/wire/admin/event/event-markdown.ts';

test.each(['##[error]x', 'a]b', '[a](b)', '**', '\\', '\\[x](y)', 'plain', '`code`', '<b>'])(
  '%s stays as it is',
  (name) => {
    const linked = boldLink(name, 'https://vexil.example/a%28b%29');
    expect(withoutMarkdown(`ada added ${bold(name)} to ${linked} in ${bold(name)}`)).toBe(
      `ada added ${name} to ${name} in ${name}`,
    );
  },
);
