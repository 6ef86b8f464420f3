/** Describes the settings as rows of a table. */
import { factsOf, settingNames, settings } from './settings.ts';

export interface SettingRow {
  readonly name: string;
  readonly description: string;
  readonly allowed: string;
  readonly default: string;
  readonly example: string;
}

/** One row for each setting, in the order of declaration. */
export function describeSettings(): SettingRow[] {
  const defaults = settings.parse({});
  return settingNames.map((name) => {
    const { description, allowed, example, defaultText } = factsOf(name);
    return { name, description, allowed, default: defaultText ?? `${defaults[name]}`, example };
  });
}
