/** A digest as an annotation of Grafana. */
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

/** Grafana shows the text as HTML. */
export function grafanaAnnotation(digest: Digest): JsonObject {
  const { title, lines, more, firstAt, lastAt, projects, environments, link } = digest;
  const items = [title, ...lines.map(({ text }) => text), ...(more > 0 ? [`and ${more} more`] : [])];
  const text = items.map((item) => item.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? ''));
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
