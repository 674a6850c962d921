interface Denied {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** A reference that the operator forbids: the spec must change. The message is Flux's. */
export class AccessDenied extends Error {
  constructor({ kind, namespace, name }: Denied, why: string) {
    super(`can't access '${kind}/${namespace}/${name}', ${why}`)
    this.name = 'AccessDenied'
  }
}

export interface CrossNamespaceSettings {
  /** Refuse references to objects of other namespaces (`--no-cross-namespace-refs`). */
  readonly noCrossNamespaceRefs: boolean
}

/** Fails with AccessDenied if a reference leaves its object's namespace and the operator forbids that. `*` means all namespaces. */
export const requireNamespaceAllowed = (
  reference: Denied,
  ownNamespace: string,
  { noCrossNamespaceRefs }: CrossNamespaceSettings,
): void => {
  if (!noCrossNamespaceRefs || reference.namespace === ownNamespace) return
  throw new AccessDenied(reference, 'cross-namespace references have been blocked')
}
