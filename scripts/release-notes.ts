/** Returns what the CHANGELOG says of a version, for the notes of its release. */

const HEADING = /^## (\S+?)(?:, (.*))?$/;

/**
 * Returns the text below the heading of the version. Throws if there is none, or if it says that the version is not
 * released.
 */
export function releaseNotes(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => HEADING.exec(line)?.[1] === version);
  if (start < 0) throw new Error(`CHANGELOG.md has no heading "## ${version}, DATE"`);
  const date = HEADING.exec(lines[start] ?? '')?.[2] ?? '';
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date))
    throw new Error(`CHANGELOG.md says "${date}" of ${version}: write the date of its release, YYYY-MM-DD`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => HEADING.test(line));
  return `${rest
    .slice(0, end < 0 ? rest.length : end)
    .join('\n')
    .trim()}\n`;
}
