/** The platform of this machine in the names of Kubernetes releases. */

export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** The platform that this process runs on, in Go's words. */
export function currentPlatform(): Platform {
  return { os: process.platform, arch: process.arch === 'x64' ? 'amd64' : process.arch };
}
