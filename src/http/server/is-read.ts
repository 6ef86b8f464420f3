/** Whether a request only reads. */

export function isRead({ method }: { readonly method?: string | undefined }): boolean {
  return method === 'GET' || method === 'HEAD';
}
