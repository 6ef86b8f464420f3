import { expect, test } from 'vitest';
import { withHeader } from '../../../scripts/generated-file.ts';

const said = 'Generated from src/schema by `npm run generate`; do not edit.';

test.each([
  ['docs/kinds/segment.md', `<!-- ${said} -->\n\ntext`],
  ['cli/a.generated.ts', `/** ${said} */\n\ntext`],
  ['charts/vexil/templates/_a.tpl', `{{/* ${said} */}}\ntext`],
  ['crds/segments.yaml', `# ${said}\ntext`],
  ['crds/Kustomization', `# ${said}\ntext`],
  ['crds/schemas/segment.json', 'text'],
])('%s begins with a comment that names its source', (path, whole) => {
  expect(withHeader({ path, source: 'src/schema', text: 'text' })).toBe(whole);
});

test('a file that people write has no header', () => {
  expect(withHeader({ path: 'docs/install.md', text: '# Install' })).toBe('# Install');
});

test('a file of a kind without a form for comments is refused', () => {
  expect(() => withHeader({ path: 'a.png', source: 'src/schema', text: '' })).toThrow('a.png');
});
