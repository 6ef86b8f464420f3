/** A condition that stays true. */

/** True from the first time that `check` is true, which is not asked again. */
export function latched(check: () => boolean): () => boolean {
  let isTrue = false;
  return () => {
    isTrue ||= check();
    return isTrue;
  };
}
