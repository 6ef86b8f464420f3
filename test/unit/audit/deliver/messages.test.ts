/** Messages for people: one line for each change, a count for many, and no markup from names. */
import { describe, expect, test } from 'vitest';
import { type DigestLine, lineOf, messageDigest } from '../../../../src/audit/deliver/messages/digest.ts';
import { grafanaAnnotation, slackMessage, teamsMessage } from '../../../../src/audit/deliver/messages/messages.ts';
import type { Entry } from '../../../../src/domain/history/entry.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';

type Lines = [DigestLine, ...DigestLine[]];

const switched: Entry = {
  ...anEntry('a', {
    type: 'feature-environment-enabled',
    environment: 'production',
    createdBy: 'ada',
    createdAt: 1000,
  }),
  ...{ id: 7, reason: 'Sale' },
};
const lines = (count: number): Lines =>
  Array.from({ length: count }, (_, index) =>
    lineOf({ ...switched, id: 7 + index, createdAt: 1000 + index, featureName: `flag-${index % 500}` }),
  ) as Lines;
const BASE = 'https://vexil.example.com';

test('one change says who, what, where and why', () => {
  expect(messageDigest([lineOf(switched)], BASE)).toMatchObject({
    title: 'Flag checkout was enabled for the production environment by ada. Reason: Sale',
    ...{ lines: [], more: 0, link: `${BASE}/events?id=7`, projects: ['shop'], environments: ['production'] },
  });
});

test('an import of 500 flags is one message with a count', () => {
  const digest = messageDigest(lines(1500), BASE);
  expect(digest).toMatchObject({
    title: '1500 changes of 500 flags in production',
    more: 1495,
    link: `${BASE}/events`,
  });
  expect(digest.lines).toHaveLength(5);
  for (const message of [slackMessage, teamsMessage, grafanaAnnotation]) {
    expect(JSON.stringify(message(digest))).toContain('and 1495 more');
    expect(JSON.stringify(message(digest)).length).toBeLessThan(4000);
  }
});

test('an entry of a later version has a line', () => {
  expect(lineOf({ ...switched, type: 'feature-teleported' as Entry['type'] }).text).toBe(
    'feature-teleported of checkout',
  );
});

describe('content is data', () => {
  const hostile = [
    ...['<!channel> <@U1> <https://evil.example|open>', '@here @everyone', '*bold* _it_ `code` ~x~', '&lt;!here&gt;'],
    ...[
      '[open](https://evil.example)',
      '<at>everyone</at>',
      '<b onclick="x">',
      'www.evil.example',
      "<img src=x onerror='y'>",
    ],
    ...['a\nb\u202eevil\u200b', 'ada@example.com', '**x**\r\n# y'],
  ];

  test.each(hostile)('%j', (name) => {
    const digest = messageDigest([lineOf({ ...switched, createdBy: name, reason: name })], undefined);
    const slack = slackMessage(digest);
    expect(String(slack['text'])).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    const texts = JSON.stringify([slack['blocks'], teamsMessage(digest)]);
    expect(texts).not.toMatch(/"type":"(link|user|usergroup|channel|broadcast|mrkdwn|TextBlock|Action)/);
    expect(texts).not.toContain('entities');
    expect(String(grafanaAnnotation(digest)['text'])).not.toMatch(/[<>"']/);
    expect(digest.title).not.toMatch(/:\/\/|www\.|@\w|[\n\r\u202e]/);
    expect(digest.title).not.toContain('ada@');
  });
});

test('Slack gets rich text with a link to the console, and a text for the notification', () => {
  const message = slackMessage(messageDigest(lines(2), BASE));
  expect(message).toMatchObject({
    ...{ text: '2 changes of 2 flags in production', mrkdwn: false, link_names: false, unfurl_links: false },
    blocks: [
      {
        type: 'rich_text',
        elements: [
          { elements: [{ type: 'text', text: '2 changes of 2 flags in production', style: { bold: true } }] },
          { type: 'rich_text_list', elements: [{ type: 'rich_text_section' }, { type: 'rich_text_section' }] },
          { elements: [{ type: 'link', url: `${BASE}/events` }] },
        ],
      },
    ],
  });
});

test('Teams gets an Adaptive Card', () => {
  expect(teamsMessage(messageDigest([lineOf(switched)], BASE))).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          ...{ type: 'AdaptiveCard', version: '1.4' },
          body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', weight: 'Bolder' }] }],
          actions: [{ type: 'Action.OpenUrl', url: `${BASE}/events?id=7` }],
        },
      },
    ],
  });
});

test('Grafana gets an annotation of the time in which it happened', () => {
  expect(grafanaAnnotation(messageDigest(lines(3), BASE))).toMatchObject({
    ...{ time: 1000, timeEnd: 1002, tags: ['vexil', 'project:shop', 'environment:production'] },
    text: expect.stringContaining(`<a href="${BASE}/events">Open in Vexil</a>`),
  });
  expect(grafanaAnnotation(messageDigest(lines(1), BASE))).not.toHaveProperty('timeEnd');
});
