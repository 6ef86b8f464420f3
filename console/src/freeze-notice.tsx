/** Shows the freeze of an environment that is in force. */
import type { Schemas } from './api.generated.ts';
import { timeText } from './times.ts';

type Freeze = Schemas['Environment']['freeze'];

/** Returns an empty text if no freeze is in force. */
export function freezeText(freeze: Freeze): string {
  return freeze ? `${freeze.name} until ${timeText(freeze.until)}` : '';
}

export function FreezeNotice({ freeze }: { readonly freeze: Freeze }) {
  if (!freeze) return null;
  return (
    <p className="notice">
      Frozen: {freezeText(freeze)}
      {freeze.reason && ` (${freeze.reason})`}. The flag can only be switched off here.
    </p>
  );
}
