/** The field managers of kubectl. */

/** `kubectl` for a server-side apply, `kubectl-edit`, `kubectl-patch` and so on for the other commands. */
export function isKubectl(manager: string): boolean {
  return manager === 'kubectl' || manager.startsWith('kubectl-');
}
