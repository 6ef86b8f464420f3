/**
 * Where operators of tests keep their history: those that share a kubeconfig share it, and it is deleted with the
 * control plane.
 */

/** As settings of the operator; none without a kubeconfig. */
export function archiveFolderFor(kubeconfig: string | undefined): { VEXIL_AUDIT_URL?: string } {
  return kubeconfig === undefined ? {} : { VEXIL_AUDIT_URL: `sqlite:${kubeconfig}.audit.db` };
}
