/** The documentation as a static site: every page, every link, the versions. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { versionsOf } from '../../../site/versions.ts';
import { runSiteProgram, siteFolder } from '../../support/built-site.ts';

const root = join(import.meta.dirname, '../../..');
const { version } = manifest;
const REPOSITORY = 'https://git.example.com/vexil/vexil';

let site: Awaited<ReturnType<typeof siteFolder>>;

beforeAll(async () => {
  site = await siteFolder();
  await mkdir(join(site.path, '0.0.9'));
  const built = await runSiteProgram(site.path, '--repository', REPOSITORY);
  expect(built).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => site?.end());

const here = () => join(site.path, version);
const pages = () => globSync('**/*.html', { cwd: here() }).toSorted();
const read = (path: string) => readFileSync(join(here(), path), 'utf8');
const valuesOf = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(String.raw`<[a-z][a-z0-9]*\s[^>]*?\b${attribute}="([^"]*)"`, 'g'))].map(
    ([, value = '']) => value,
  );
const targetsOf = (html: string) => ['href', 'src', 'action'].flatMap((attribute) => valuesOf(html, attribute));
const isElsewhere = (target: string) => /^[a-z]+:/.test(target);

/** The words of a title without markup. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/<[^>]*>|&\w+;/g, ' ')
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ');

test('every page of docs/ has its HTML, with its title', () => {
  const sources = globSync('docs/**/*.md', { cwd: root });
  expect(sources.length).toBeGreaterThan(90);
  for (const source of sources) {
    const address = posix
      .relative('docs', source)
      .replace(/README\.md$/, 'index.md')
      .replace(/md$/, 'html');
    const [, title = ''] = /^# (.*)$/m.exec(readFileSync(join(root, source), 'utf8')) ?? [];
    const html = read(address);
    expect(wordsOf(/<h1 [^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? ''), source).toBe(wordsOf(title));
    expect(wordsOf(/<title>(.*?) – Vexil/.exec(html)?.[1] ?? ''), source).toBe(wordsOf(title));
  }
});

test('every link of every page leads to a file of the site, and every anchor to a heading', () => {
  const dead = pages().flatMap((page) =>
    targetsOf(read(page))
      .filter((target) => !isElsewhere(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : posix.join(posix.dirname(page), path);
        if (!existsSync(join(here(), file))) return true;
        return anchor !== undefined && !valuesOf(read(file), 'id').includes(anchor);
      })
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test('every page can be reached from the first one', () => {
  const reached = new Set<string>();
  const visit = (page: string): void => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const target of targetsOf(read(page))) {
      const file = posix.join(posix.dirname(page), target.split('#')[0] ?? '');
      if (file.endsWith('.html') && !file.startsWith('..') && !isElsewhere(target)) visit(file);
    }
  };
  visit('index.html');
  expect([...reached].toSorted()).toEqual(pages());
});

test('links to files outside of docs/ lead to the repository, at the tag of the version', () => {
  const links = pages().flatMap((page) => valuesOf(read(page), 'href').filter((href) => href.startsWith(REPOSITORY)));
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) {
    const [, kind, tag, path = ''] = /^\/(blob|tree)\/([^/]+)\/(.+)$/.exec(link.slice(REPOSITORY.length)) ?? [];
    expect([tag, existsSync(join(root, path))], link).toEqual([`v${version}`, true]);
    expect(globSync(`${path}/*`, { cwd: root }).length > 0, link).toBe(kind === 'tree');
  }
});

test('a page loads nothing from elsewhere', () => {
  for (const page of pages()) {
    const html = read(page);
    const loaded = [
      ...valuesOf(html, 'src'),
      ...[...html.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href),
    ];
    expect(
      loaded.filter((target = '') => isElsewhere(target) && !target.startsWith('data:')),
      page,
    ).toEqual([]);
  }
  expect(read('assets/site.css')).not.toMatch(/@import|url\(/);
});

test('the navigation of every page has the sections of docs/README.md', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const sections = [...index.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  const nav = /<nav id="pages".*?<\/nav>/s;
  for (const page of pages()) {
    const [shown = ''] = nav.exec(read(page)) ?? [];
    expect(
      [...shown.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title),
      page,
    ).toEqual(sections);
  }
  const [ofRecord = ''] = nav.exec(read('adr/0001-maps-instead-of-lists.html')) ?? [];
  expect(ofRecord).toContain('<a href="0001-maps-instead-of-lists.html" aria-current="page">');
  expect(ofRecord).toContain('<a href="0002-own-watch-and-cache.html">');
  expect(ofRecord).toContain('<a href="../kinds/featureflag.html">FeatureFlag</a>');
});

test('other versions stay, and are in the list of versions', () => {
  const list = readFileSync(join(site.path, 'versions.html'), 'utf8');
  expect(valuesOf(list, 'href').filter((href) => href.endsWith('.html'))).toEqual([
    `${version}/index.html`,
    '0.0.9/index.html',
  ]);
  expect(readFileSync(join(site.path, 'index.html'), 'utf8')).toContain(`url=${version}/index.html`);
});

test('versions are listed from the newest to the oldest', () => {
  const names = ['0.2.0', '.git', '0.10.0', '1.0.0-rc.2', '1.0.0', 'assets', '1.0.0-rc.10', '0.2.1'];
  expect(versionsOf(names)).toEqual(['1.0.0', '1.0.0-rc.10', '1.0.0-rc.2', '0.10.0', '0.2.1', '0.2.0']);
});

/** Builds the site of a project that has only these files. */
async function build(files: Readonly<Record<string, string>>) {
  const folders = await Promise.all([siteFolder(), siteFolder()]);
  onTestFinished(() => Promise.all(folders.map((one) => one.end())).then(() => undefined));
  const [from, to] = folders.map(({ path }) => path) as [string, string];
  for (const [path, text] of Object.entries(files)) {
    await mkdir(posix.dirname(join(from, path)), { recursive: true });
    await writeFile(join(from, path), text);
  }
  const finished = await runSiteProgram(to, '--from', from);
  return { ...finished, html: (path: string) => readFileSync(join(to, version, path), 'utf8') };
}

const INDEX = '# Documentation\n\n## Pages\n\n- [A](tutorial.md)\n';

test('dead links fail the build, and all of them are named', async () => {
  const { code, stderr } = await build({
    'docs/README.md': INDEX,
    'docs/tutorial.md':
      '# A\n\n[b](b.md), [c](#c), [index](README.md#pages), [first](../LICENSE), ![image](images/d.png)\n',
  });
  const places = ['b.md', '#c', '../LICENSE', 'images/d.png'];
  expect([code, stderr]).toEqual([1, places.map((link) => `docs/tutorial.md: ${link} leads nowhere\n`).join('')]);
});

test('without the address of a repository, links to its files are text; images are copied', async () => {
  const { code, html } = await build({
    'docs/README.md': INDEX,
    'docs/tutorial.md':
      '# A `b` <!-- hidden -->\n\n<!-- hidden -->\n\n[license](../LICENSE) ![image](images/d.svg)\n\n## `c` & d\n',
    'docs/images/d.svg': '<svg/>',
    LICENSE: 'Apache',
  });
  const page = html('tutorial.html');
  expect(code).toBe(0);
  expect(page).toContain('<a>license</a>');
  expect(page).toContain('<img src="images/d.svg" alt="image">');
  expect(page).toContain('<h2 id="c--d">');
  expect(page).not.toContain('hidden');
  expect(html('images/d.svg')).toBe('<svg/>');
});

test('HTML in a page fails the build', async () => {
  const { code, stderr } = await build({
    'docs/README.md': INDEX,
    'docs/tutorial.md': '# A\n\nthe option <file> here\n',
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('<file>')]);
});
