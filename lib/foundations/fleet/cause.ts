export interface Cause {
  /** A warning is about what works still. */
  readonly severity: 'error' | 'warning'
  /** What to mend: `Cluster/apps/prod`, `GitRepository/apps/app`, `Kustomization/apps/web`. */
  readonly object: string
  readonly reason: string
  readonly message: string
  /** RFC 3339; when the first object began to say so. */
  readonly since?: string
  /** The clusters it is felt on, by name. */
  readonly clusters: readonly string[]
  /** The units that it holds up, by name: of a cluster all that apply there, of a source all that use it. */
  readonly units: readonly string[]
}

/** What is wrong, without what it holds up. */
export type Fault = Omit<Cause, 'clusters' | 'units'>
