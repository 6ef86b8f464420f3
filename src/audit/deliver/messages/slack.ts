/** A digest as a message for an incoming webhook of Slack. */
import type { JsonObject } from '../../../model/json.ts';
import type { Digest } from './digest.ts';

/** Text in `rich_text` is never read as markup; in `text`, which the notification shows, three characters are. */
export function slackMessage({ title, lines, more, link }: Digest): JsonObject {
  const heading = { type: 'rich_text_section', elements: [{ ...plain(title), style: { bold: true } }] };
  const items = [...lines.map(({ text }) => text), ...(more > 0 ? [`and ${more} more`] : [])];
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
