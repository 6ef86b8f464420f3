/** Marks a flag as a favourite, in this browser. */
import { Icon } from '../icons.tsx';
import { type KeptFlag, useFavourites } from './kept-flags.ts';

export function FavouriteButton({ project, name }: KeptFlag) {
  const { has, toggle } = useFavourites();
  return (
    <button
      type="button"
      className="favourite"
      aria-pressed={has({ project, name })}
      aria-label={`${name} as a favourite`}
      title="Favourite"
      onClick={() => toggle({ project, name })}
    >
      <Icon name="star" />
    </button>
  );
}
