/** Finds pages, projects and flags by their names, and opens them; it shows favourites and recent flags first. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../api.ts';
import { Dialog } from '../dialog/dialog.tsx';
import { featurePath } from '../feature-link.tsx';
import { type KeptFlag, useFavourites, useRecentFlags } from '../kept/kept-flags.ts';
import { projectsQuery } from '../queries.ts';

interface PaletteLink {
  readonly href: string;
  readonly text: string;
  /** What the target is, such as the project of a flag. */
  readonly hint: string;
}

interface PaletteProps {
  /** The pages that belong to no project. */
  readonly places: readonly { readonly path: string; readonly name: string }[];
  readonly onClose: () => void;
}

const MAX_FOUND = 8;
const MAX_OTHERS = 5;

const flagsQuery = (text: string) =>
  queryOptions({
    queryKey: ['palette', text],
    queryFn: async ({ signal }) => {
      if (text === '') return [];
      const params = { query: { query: text, sortBy: 'name', limit: `${MAX_FOUND}` } };
      return (await answerOf(api.GET('/api/admin/search/features', { params, signal }))).features;
    },
    placeholderData: keepPreviousData,
  });

export function Palette({ places, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const listId = useId();
  const targets = useTargets(text.trim(), places);
  const present = Math.min(chosen, targets.length - 1);
  const open = (target: PaletteLink | undefined) => {
    if (!target) return;
    onClose();
    navigate(target.href);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setChosen(Math.min(present + 1, targets.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(present - 1, 0));
    else if (event.key === 'Enter') open(targets[present]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        className="palette"
        aria-label="A flag, a project or a page"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={targets[present] && `${listId}-${present}`}
        autoComplete="off"
        placeholder="A flag, a project or a page"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={listId} aria-label="Found" className="targets">
        {targets.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
          <div
            key={target.href}
            role="option"
            id={`${listId}-${index}`}
            tabIndex={-1}
            aria-selected={index === present}
            onClick={() => open(target)}
          >
            <span>{target.text}</span> <span className="hint">{target.hint}</span>
          </div>
        ))}
      </div>
      {targets.length === 0 && <p className="hint">Nothing is found.</p>}
      <p className="hint">
        <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes. <kbd>/</kbd> is for the search
        of a page.
      </p>
    </Dialog>
  );
}

function useTargets(text: string, places: PaletteProps['places']): readonly PaletteLink[] {
  const favourites = useFavourites().list;
  const recent = useRecentFlags();
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: flags = [] } = useQuery(flagsQuery(useDeferredValue(text)));
  const pages = places.map(({ path, name }) => ({ href: path, text: name, hint: 'page' }));
  const ofProjects = projects.map(({ id, name }) => ({
    href: `/projects/${encodeURIComponent(id)}`,
    text: name === id ? name : `${name} (${id})`,
    hint: 'project',
  }));
  if (text === '') {
    const favourite = favourites.slice(0, MAX_FOUND).map((flag) => targetOf(flag, 'favourite'));
    const others = recent.filter((flag) => favourite.every(({ href }) => href !== targetOf(flag, '').href));
    return [
      ...favourite,
      ...others.slice(0, MAX_OTHERS).map((flag) => targetOf(flag, 'recent')),
      ...ofProjects.slice(0, MAX_OTHERS),
      ...pages,
    ];
  }
  const wanted = text.toLowerCase();
  const matching = [...ofProjects, ...pages].filter((one) => one.text.toLowerCase().includes(wanted));
  return [...flags.map((flag) => targetOf(flag, flag.project)), ...matching.slice(0, MAX_OTHERS)];
}

function targetOf({ project, name }: KeptFlag, hint: string): PaletteLink {
  return {
    href: featurePath(project, name),
    text: name,
    hint: hint === project ? `in ${project}` : `${hint}, in ${project}`,
  };
}
