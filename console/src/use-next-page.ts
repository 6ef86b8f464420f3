/** Leads to the page that follows a change. */
import { useLocation } from 'wouter';

/** The returned function does nothing if the user has gone to another page while the change was on its way. */
export function useNextPage(): (address: string) => void {
  const [, navigate] = useLocation();
  const { pathname } = window.location;
  return (address) => {
    if (window.location.pathname === pathname) navigate(address);
  };
}
