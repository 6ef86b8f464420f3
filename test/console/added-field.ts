/** A page of the console when flags have one field more, `costCentre`: in the OpenAPI document, and in answers. */
import type { Page } from 'playwright-core';

type Json = Readonly<Record<string, unknown>>;

const ROW: Json = { name: 'costCentre', kind: 'text', hint: 'Who pays for the flag.', maxLength: 64 };
/** In the bundle of the table that `npm run generate` makes. */
const LAST_ROW = /(?=\{name:.lifetimeDays.,kind:.integer.)/;
const FLAGS = /\/api\/admin\/projects\/[^/]+\/features(\/[^/?]+)?(\?|$)/;

/**
 * Each flag has the value `retail`; each change of its fields was one from `retail` to `wholesale`. Returns the list of
 * the bodies of writes of flags, also of those that only show what would change.
 */
export async function addField(page: Page): Promise<readonly Json[]> {
  const bodies: Json[] = [];
  await page.route('**/assets/*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(LAST_ROW, `${JSON.stringify(ROW)},`) });
  });
  await page.route(FLAGS, async (route) => {
    const request = route.request();
    if (['POST', 'PUT'].includes(request.method())) bodies.push(request.postDataJSON());
    const response = await route.fetch();
    const answer = await response.text();
    const isFlag = request.method() === 'GET' && answer.startsWith('{') && 'name' in JSON.parse(answer);
    const body = isFlag ? JSON.stringify({ ...JSON.parse(answer), costCentre: 'retail' }) : answer;
    return route.fulfill({ response, body });
  });
  await page.route('**/api/admin/search/events?*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const events = answer.events.map(({ preData, data, ...event }: Record<'preData' | 'data' | 'type', Json>) =>
      `${event.type}` === 'feature-metadata-updated'
        ? { ...event, preData: { ...preData, costCentre: 'retail' }, data: { ...data, costCentre: 'wholesale' } }
        : { ...event, preData, data },
    );
    await route.fulfill({ response, json: { ...answer, events } });
  });
  return bodies;
}
