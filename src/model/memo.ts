/** Memoises a computation from an object for as long as the object lives and a second input stays the same. */

export function memo<K extends object, D, V>(compute: (key: K, dependency: D) => V): (key: K, dependency: D) => V {
  const known = new WeakMap<K, { readonly dependency: D; readonly value: V }>();
  return (key, dependency) => {
    const found = known.get(key);
    if (found && found.dependency === dependency) return found.value;
    const value = compute(key, dependency);
    known.set(key, { dependency, value });
    return value;
  };
}
