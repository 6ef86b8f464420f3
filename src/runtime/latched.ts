/** A condition that stays true. */

/** True from the first time that `check` returns true; then `check` is not called again. */
export function latched(check: () => boolean): () => boolean {
  let isTrue = false;
  return () => {
    isTrue ||= check();
    return isTrue;
  };
}
