/** Builds the documentation of one version as a folder of a site, next to the versions that exist already. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { layoutFor, type Shown } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { addressOf, readPages } from './pages.ts';
import { type Repository, resolveLinks } from './resolve-links.ts';
import { searchIndex } from './search-index.ts';
import { startPage, versionsOf, versionsPage } from './versions.ts';

const HERE = import.meta.dirname;
const SEARCH: Shown = {
  address: 'search.html',
  title: 'Search',
  headings: [],
  content: '<h1>Search</h1>\n<p id="summary" role="status"></p>\n<ul id="results"></ul>\n',
  scripts: ['assets/search.js'],
};

/**
 * Writes `TO/VERSION`, and the pages next to it. Returns the number of pages of the version; throws if a link is dead.
 */
export async function buildSite(to: string, repository: Repository): Promise<number> {
  const pages = readPages(repository.root);
  const all = [...pages.bySource.values()];
  const files = resolveLinks(pages, repository);
  const folder = join(to, repository.version);
  await rm(folder, { recursive: true, force: true });
  const write = async (address: string, text: string) => {
    const path = join(folder, address);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  const layout = layoutFor(pages, repository.version);
  for (const { address, title, content } of all) {
    await write(address, layout({ address, title, headings: content.headings, content: renderMarkdown(content) }));
  }
  await write(SEARCH.address, layout(SEARCH));
  await write('search-index.json', searchIndex(all));
  await writeAssets(join(folder, 'assets'));
  for (const file of files) {
    const path = join(folder, addressOf(file));
    await mkdir(dirname(path), { recursive: true });
    await copyFile(join(repository.root, file), path);
  }
  await writeVersions(to);
  return all.length;
}

async function writeAssets(folder: string): Promise<void> {
  const bundler = await rolldown({ input: join(HERE, 'search.ts'), platform: 'browser' });
  await bundler.write({ dir: folder, minify: true });
  await bundler.close();
  await copyFile(join(HERE, 'site.css'), join(folder, 'site.css'));
  const licence = join(HERE, '../node_modules/minisearch/LICENSE.txt');
  await copyFile(licence, join(folder, 'minisearch-licence.txt'));
}

async function writeVersions(to: string): Promise<void> {
  const versions = versionsOf(await readdir(to));
  await writeFile(join(to, 'index.html'), startPage(versions));
  await writeFile(join(to, 'versions.html'), versionsPage(versions));
}
