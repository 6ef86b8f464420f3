/** Starts the console in its page. */
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { ApiError, prefix } from './api.ts';
import { App } from './app.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { endOfSession } from './session-end.ts';
import './style/tokens.css';
import './style/page.css';
import './style/flags.css';
import './style/list.css';

const MAX_RETRIES = 2;

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Opens the page for signing in, which leads back to the present page. */
function askToSignIn(): void {
  const { pathname, search } = location;
  if (pathname === `${prefix}/login`) return;
  const next = pathname.slice(prefix.length) + search;
  navigate(`${prefix}/login${next === '/' ? '' : `?next=${encodeURIComponent(next)}`}`, { replace: true });
}

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => void (isUnauthenticated(error) && endOfSession(askToSignIn)) }),
  defaultOptions: {
    // A machine without a network still reaches a port that kubectl forwards.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (count, error) => count < MAX_RETRIES && !(error instanceof ApiError && error.status < 500),
    },
  },
});

const root = document.getElementById('root');
if (!root) throw new Error('The page lacks its root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router base={prefix}>
        <ErrorBoundary what="The page has failed">
          <App />
        </ErrorBoundary>
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
