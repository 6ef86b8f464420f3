/** The table of settings matches the configuration. */
import { expect, test } from 'vitest';
import { settingsPage } from '../../../scripts/settings-page.ts';
import { describeSettings } from '../../../src/config/describe-settings.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { settingNames } from '../../../src/config/settings.ts';

const rows = describeSettings();

test('there is one row for each setting', () => {
  expect(rows.map(({ name }) => name)).toEqual(settingNames);
});

test.each(rows)('$name has a text in every column', (row) => {
  for (const text of Object.values(row)) expect(text).toMatch(/\S/);
  expect(row.description).toMatch(/\.$/);
});

/** Some settings have no effect without another one. */
const pairs = [
  ['VEXIL_TLS_CERT_FILE', 'VEXIL_TLS_KEY_FILE'],
  [
    ...['VEXIL_AUDIT_LOG_PORT', 'VEXIL_AUDIT_LOG_TLS_CERT_FILE', 'VEXIL_AUDIT_LOG_TLS_KEY_FILE'],
    ...['VEXIL_AUDIT_LOG_CLIENT_CA_FILE', 'VEXIL_AUDIT_LOG_TOKEN_FILE'],
  ],
  ['VEXIL_OIDC_ISSUER', 'VEXIL_OIDC_CLIENT_ID', 'VEXIL_OIDC_CLIENT_SECRET', 'VEXIL_OIDC_REDIRECT_URL'],
];

test.each(rows.filter(({ name }) => name !== 'VEXIL_ADMIN_TOKEN'))('the example of $name is accepted', ({ name }) => {
  const together = pairs.find((pair) => pair.includes(name)) ?? [name];
  const given = rows.filter((row) => together.includes(row.name)).map((row) => [row.name, row.example]);
  expect(loadConfig(Object.fromEntries(given))).toBeDefined();
});

test.each(rows.filter((row) => /^\w+$/.test(row.default)))('the default of $name is the value without it', (row) => {
  expect(loadConfig({ [row.name]: row.default })).toEqual(loadConfig({}));
});

test('the page is a table with every setting, and ends in one line break', () => {
  const lines = settingsPage().split('\n');
  for (const name of settingNames) expect(lines.filter((line) => line.startsWith(`| \`${name}\` |`))).toHaveLength(1);
  expect(
    lines.filter((line) => line.startsWith('|')).every((line) => line.split(' | ').length === 5 || /^\|-/.test(line)),
  ).toBe(true);
  expect(settingsPage()).toMatch(/[^\n]\n$/);
});
