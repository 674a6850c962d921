/** What an operator may choose, whatever the platform: the flags of Flux's controllers, in one place. */
export interface Settings {
  /** Refuse references to objects of other namespaces (`--no-cross-namespace-refs`). */
  readonly noCrossNamespaceRefs: boolean
  /** Refuse kustomizations that name repositories or files by URL (`--no-remote-bases`). */
  readonly noRemoteBases: boolean
  /** ServiceAccount that Kustomizations act as when they name none (`--default-service-account`). */
  readonly defaultServiceAccount?: string
  /** How long to wait for a dependency before looking again, in milliseconds (`--requeue-dependency`). */
  readonly requeueDependencyMs: number
  /** Spread of equal intervals (`--interval-jitter-percentage`). */
  readonly intervalJitterPercentage: number
  /** Reconciles at a time, per stage, and where clusters are written to, per cluster (`--concurrent`). */
  readonly concurrent: number
}

export const defaultSettings: Settings = {
  noCrossNamespaceRefs: false,
  noRemoteBases: false,
  requeueDependencyMs: 30_000,
  intervalJitterPercentage: 5,
  concurrent: 20,
}
