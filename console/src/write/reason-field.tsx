/** Asks why a change is made, in each review and dialog that writes. */
import { Field, textIn } from '../field.tsx';
import { freezeSentence } from '../freeze-notice.tsx';
import type { Bypass } from './bypass.ts';

const REASON = 'reason';

interface ReasonFieldProps {
  /** A bypass of a freeze needs a reason. */
  readonly bypass?: Bypass | undefined;
  /** The reason that the user gave before. */
  readonly given?: string | undefined;
}

export function ReasonField({ bypass, given }: ReasonFieldProps) {
  return (
    <>
      {bypass && <p className="caution">{freezeSentence(bypass.label, bypass.freeze)} You may bypass the freeze.</p>}
      <Field label={bypass ? 'Reason for the history' : 'Why (optional, for the history)'}>
        {(ids) => (
          <input
            {...ids}
            name={REASON}
            required={bypass !== undefined}
            defaultValue={given}
            maxLength={200}
            autoComplete="off"
          />
        )}
      </Field>
    </>
  );
}

/** Undefined if the user gives no reason. */
export function reasonIn(form: HTMLFormElement): string | undefined {
  return textIn(form, REASON) || undefined;
}
