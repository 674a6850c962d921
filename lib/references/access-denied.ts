/** A reference that the operator has forbidden: nothing but another spec helps. The message is Flux's. */
export class AccessDenied extends Error {
  constructor(reference: string, why: string) {
    super(`can't access '${reference}', ${why}`)
    this.name = 'AccessDenied'
  }
}

export interface CrossNamespaceSettings {
  /** Refuse references to objects of other namespaces (`--no-cross-namespace-refs`). */
  readonly noCrossNamespaceRefs: boolean
}

/** Fails with AccessDenied when a reference leads out of its object's namespace and the operator forbids that. `*` stands for all namespaces. */
export const requireNamespaceAllowed = (
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  ownNamespace: string,
  { noCrossNamespaceRefs }: CrossNamespaceSettings,
): void => {
  if (!noCrossNamespaceRefs || namespace === ownNamespace) return
  throw new AccessDenied(`${kind}/${namespace}/${name}`, 'cross-namespace references have been blocked')
}
