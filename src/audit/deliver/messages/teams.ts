/** A digest as an Adaptive Card for a workflow of Microsoft Teams. */
import type { JsonObject } from '../../../model/json.ts';
import type { Digest } from './digest.ts';

/** A TextRun has no markup, which a TextBlock has. */
export function teamsMessage({ title, lines, more, link }: Digest): JsonObject {
  const items = [...lines.map(({ text }) => text), ...(more > 0 ? [`and ${more} more`] : [])];
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
