/**
 * The history of operators of tests: operators that share a kubeconfig share it, and it is deleted with the control
 * plane.
 */

/** Returns settings of the operator; none without a kubeconfig. */
export function archiveFolderFor(kubeconfig: string | undefined): { VEXIL_AUDIT_URL?: string } {
  return kubeconfig === undefined ? {} : { VEXIL_AUDIT_URL: `sqlite:${kubeconfig}.audit.db` };
}
