/** The pages next to the versions of the documentation: a list of versions, and a link to the newest. */

const VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const byNumbers = new Intl.Collator('en', { numeric: true });

/** Returns the names of folders that are versions, newest first. A pre-release is older than its release. */
export function versionsOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => VERSION.test(name)).toSorted((left, right) => compare(right, left));
}

function compare(left: string, right: string): number {
  return (
    byNumbers.compare(releaseOf(left), releaseOf(right)) ||
    Number(isRelease(left)) - Number(isRelease(right)) ||
    byNumbers.compare(left, right)
  );
}

/** Returns the release that a version is, or that it precedes. */
function releaseOf(version: string): string {
  return version.replace(/-.*/, '');
}

function isRelease(version: string): boolean {
  return version === releaseOf(version);
}

/** Returns the newest release, or the newest version if there is no release; expects the newest version first. */
function newestOf(versions: readonly string[]): string {
  return versions.find(isRelease) ?? versions[0] ?? '';
}

/** Returns the HTML at the address above the versions, which leads to the newest version. */
export function startPage(versions: readonly string[]): string {
  const newest = newestOf(versions);
  const head = `<meta http-equiv="refresh" content="0; url=${newest}/index.html">\n`;
  return page(head, `<p><a href="${newest}/index.html">Documentation of Vexil ${newest}</a></p>\n`);
}

/** Returns HTML with a link to each version. */
export function versionsPage(versions: readonly string[]): string {
  const newest = newestOf(versions);
  const style = `<link rel="stylesheet" href="${newest}/assets/site.css">\n`;
  const items = versions.map((version) => {
    const note = version === newest ? ' (newest)' : '';
    return `<li><a href="${version}/index.html">${version}</a>${note}</li>\n`;
  });
  return page(style, `<h1>Versions of Vexil</h1>\n<ul>\n${items.join('')}</ul>\n`);
}

function page(head: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vexil</title>
<link rel="icon" href="data:,">
${head}</head>
<body>
<main id="content">
${content}</main>
</body>
</html>
`;
}
