/** A digest in the form that each service for people reads. */
import type { JsonObject } from '../../../model/json.ts';
import type { Digest } from './digest.ts';

const MAX_TAGS = 20;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** An annotation of Grafana, which shows the text as HTML. */
export function grafanaAnnotation(digest: Digest): JsonObject {
  const { title, firstAt, lastAt, projects, environments, link } = digest;
  const text = [title, ...itemsOf(digest)].map((item) => item.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? ''));
  const opening = link === undefined ? [] : [`<a href="${encodeURI(link)}">Open in Vexil</a>`];
  const tags = [
    'vexil',
    ...projects.map((name) => `project:${name}`),
    ...environments.map((name) => `environment:${name}`),
  ];
  return {
    time: firstAt,
    ...(lastAt > firstAt && { timeEnd: lastAt }),
    tags: tags.slice(0, MAX_TAGS),
    text: [...text, ...opening].join('<br>'),
  };
}

/**
 * A message for an incoming webhook of Slack. Text in `rich_text` is never read as markup; in `text`, which the
 * notification shows, three characters are.
 */
export function slackMessage(digest: Digest): JsonObject {
  const { title, link } = digest;
  const heading = { type: 'rich_text_section', elements: [{ ...plain(title), style: { bold: true } }] };
  const items = itemsOf(digest);
  const list = {
    type: 'rich_text_list',
    style: 'bullet',
    elements: items.map((text) => ({ type: 'rich_text_section', elements: [plain(text)] })),
  };
  const opening = {
    type: 'rich_text_section',
    elements: [{ type: 'link', url: link ?? '', text: 'Open in Vexil' }],
  };
  return {
    text: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ...{ mrkdwn: false, link_names: false, parse: 'none', unfurl_links: false, unfurl_media: false },
    blocks: [
      {
        type: 'rich_text',
        elements: [heading, ...(items.length > 0 ? [list] : []), ...(link === undefined ? [] : [opening])],
      },
    ],
  };
}

function plain(text: string) {
  return { type: 'text', text };
}

/** An Adaptive Card for a workflow of Microsoft Teams. A TextRun has no markup, which a TextBlock has. */
export function teamsMessage(digest: Digest): JsonObject {
  const { title, link } = digest;
  const items = itemsOf(digest);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4' },
    body: [paragraph(title, { weight: 'Bolder' }), ...items.map((text) => paragraph(text))],
    ...(link !== undefined && { actions: [{ type: 'Action.OpenUrl', title: 'Open in Vexil', url: link }] }),
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

function paragraph(text: string, style: { readonly weight?: string } = {}) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}

function itemsOf({ lines, more }: Digest): readonly string[] {
  return [...lines.map(({ text }) => text), ...(more > 0 ? [`and ${more} more`] : [])];
}
