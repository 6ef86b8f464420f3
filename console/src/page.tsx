/** The frame of every page: navigation, the user, what cannot be reached, the content. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { endSession, prefix } from './api.ts';
import { announceSession, type Reach } from './connection/change-feed.ts';
import { useChanges } from './connection/changes.ts';
import { LeaveGuard } from './dialog/leave-guard.tsx';
import { forgetDrafts } from './editor/draft/use-kept-draft.ts';
import { Icon } from './icons.tsx';
import { lazyPart } from './lazy-part.tsx';
import { projectFrameQuery } from './project/project-query.ts';
import { meQuery } from './queries.ts';
import { useSessionEnded } from './session-end.ts';
import { useAllowed } from './use-allowed.ts';

interface PageProps {
  readonly title: string;
  /** The id of the object of the page, shown if the title is another one. */
  readonly id?: string;
  /** The project that the page is in. */
  readonly project?: string;
  /** Whether the page uses the whole width of the window. */
  readonly isWide?: boolean;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

const NOTICES: Readonly<Record<Reach, string>> = {
  live: '',
  away: 'Vexil cannot be reached. The page shows what was last known, and tries again.',
  'cut-off':
    'Vexil cannot reach the API server of the cluster. The page shows what was last known; nothing can be changed until the connection is back.',
};

export function Page({ title, id, project, isWide = false, aside, children }: PageProps) {
  const reach = useChanges();
  const heading = useFocusAfterNavigation();
  useEffect(() => {
    document.title = `${title} · Vexil`;
  }, [title]);
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <nav aria-label="Place">
          <Link href="/" className="brand">
            Vexil
          </Link>
          {project !== undefined && <ProjectLink id={project} />}
        </nav>
        <GoTo />
        <User />
      </header>
      <Places />
      <p className="notice" role="status" hidden={reach === 'live'}>
        {NOTICES[reach]}
      </p>
      <SessionEnd />
      <LeaveGuard />
      <main id="content" tabIndex={-1} className={isWide ? 'wide' : undefined}>
        <div className="title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {id !== undefined && id !== title && <p className="hint">{id}</p>}
          {aside}
        </div>
        {children}
      </main>
    </>
  );
}

function ProjectLink({ id }: { readonly id: string }) {
  const { data: project } = useQuery(projectFrameQuery(id));
  return (
    <>
      <span aria-hidden="true">/</span>
      <Link href={`/projects/${encodeURIComponent(id)}`}>{project?.name ?? id}</Link>
    </>
  );
}

/** The path of the page that is shown. */
let shownPath: string | undefined;

/**
 * Moves the focus to the heading of a new page, so that screen readers read it: the browser does not notice the new
 * page.
 */
function useFocusAfterNavigation() {
  const [path] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shownPath !== undefined && shownPath !== path) heading.current?.focus();
    shownPath = path;
  }, [path]);
  return heading;
}

/** The pages that belong to no project, with the endpoint that they need. */
const PLACES = [
  { path: '/', name: 'Projects' },
  { path: '/environments', name: 'Environments', endpoint: 'GET /environments' },
  { path: '/segments', name: 'Segments' },
  { path: '/playground', name: 'Playground' },
  { path: '/strategies', name: 'Strategies', endpoint: 'GET /strategies' },
  { path: '/applications', name: 'Applications' },
  { path: '/reports/stale', name: 'Stale flags' },
  { path: '/change-requests', name: 'Change requests' },
  { path: '/events', name: 'Events' },
  { path: '/notifications', name: 'Notifications' },
  { path: '/archive', name: 'Archive' },
  { path: '/tokens', name: 'Tokens', endpoint: 'GET /api-tokens' },
  { path: '/import-export', name: 'Import and export', endpoint: 'GET /state/export' },
] as const;

function Places() {
  const isAllowed = useAllowed();
  const [path] = useLocation();
  const shown = PLACES.filter((place) => !('endpoint' in place) || isAllowed(place.endpoint));
  const places = useRef<HTMLElement>(null);
  const count = shown.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page, or more links, move the present one
  useEffect(() => {
    const showCurrent = () => {
      const list = places.current;
      const current = list?.querySelector<HTMLElement>('[aria-current]');
      // Not scrollIntoView, which may scroll the page too.
      if (list && current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
    };
    showCurrent();
    addEventListener('resize', showCurrent);
    return () => removeEventListener('resize', showCurrent);
  }, [path, count]);
  return (
    <nav ref={places} className="places" aria-label="Pages">
      {shown.map((place) => (
        <Link key={place.path} href={place.path} aria-current={currentOf(place.path, path)}>
          {place.name}
        </Link>
      ))}
    </nav>
  );
}

/** Shows pages of projects as part of the list of projects, although their addresses are not below it. */
function currentOf(place: string, path: string): 'page' | 'true' | undefined {
  if (place === path) return 'page';
  return path.startsWith(place === '/' ? '/projects/' : `${place}/`) ? 'true' : undefined;
}

const Palette = lazyPart(async () => (await import('./palette/palette.tsx')).Palette);

/** The button that finds any page, which Ctrl-K presses, and a slash where the page has no search of its own. */
function GoTo() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isPalette = isPaletteKey(event);
      if (document.querySelector('dialog[open]') || !(isPalette || isSlash(event))) return;
      if (isPalette || !focusSearch()) setOpen(true);
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        className="go-to"
        aria-label="Go to…"
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
        <span>Go to…</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Palette places={PLACES} onClose={() => setOpen(false)} />}
    </>
  );
}

function isPaletteKey({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey);
}

/** A slash is a slash where text is entered. */
function isSlash({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return key === '/' && !ctrlKey && !metaKey && !altKey && !(target as Element).closest('input, textarea, select');
}

/** Returns whether the page has a search. */
function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  search?.select();
  search?.focus();
  return search !== null;
}

function SessionEnd() {
  const isEnded = useSessionEnded();
  return (
    <p className="notice" role="alert" hidden={!isEnded}>
      {isEnded && (
        <>
          Your session has ended, and your changes are not saved yet.{' '}
          <a href={`${prefix}/login`} target="_blank" rel="noreferrer">
            Sign in again
          </a>{' '}
          in another tab, then go on here.
        </>
      )}
    </p>
  );
}

function User() {
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const signingOut = useMutation({
    mutationFn: endSession,
    onSuccess(signOutUrl) {
      navigate('/login');
      forgetDrafts();
      client.clear();
      announceSession();
      if (signOutUrl !== undefined) location.assign(signOutUrl);
    },
  });
  if (!me) return <div className="user" />;
  return (
    <div className="user">
      <span role="alert" className="error">
        {signingOut.error && `You are still signed in: ${signingOut.error.message}`}
      </span>
      {me.via === 'anonymous' ? (
        <span title={`Vexil asks for no token. The history calls you ${me.username}.`}>not signed in</span>
      ) : (
        <>
          <span>{me.name ?? me.username}</span>
          <button type="button" className="quiet" disabled={signingOut.isPending} onClick={() => signingOut.mutate()}>
            Sign out
          </button>
        </>
      )}
    </div>
  );
}
