/** Keeps choices of a page in its address, so that a link leads back to them. */
import { useSearchParams } from 'wouter';

type AddressValues<K extends string> = Readonly<Record<K, string>>;

/** The address leaves out empty values. A change of a choice leads back to the start of the list. */
export function useAddress<K extends string>(names: readonly K[]) {
  const [search, setSearch] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as AddressValues<K>;
  const offset = Number(/^\d{1,9}$/.exec(search.get('offset') ?? '')?.[0] ?? 0);
  const write = (next: Readonly<Record<string, string>>) =>
    setSearch(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')), { replace: true });
  return {
    values,
    offset,
    change: (part: Partial<AddressValues<K>>) => write({ ...values, ...part }),
    move: (to: number) => write({ ...values, offset: to === 0 ? '' : `${to}` }),
  };
}
