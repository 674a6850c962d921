import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** Labels or annotations on an object that say how to treat it, e.g. `kustomize.toolkit.fluxcd.io/ssa: Merge`. */
export const policies = (group: string) => {
  const isSet =
    (key: string, value: string) =>
    ({ metadata: { labels, annotations } }: KubernetesObject): boolean =>
      [labels, annotations].some(marks => marks?.[`${group}/${key}`]?.toLowerCase?.() === value.toLowerCase())

  const isReconcileDisabled = isSet('reconcile', 'disabled')
  const isIgnored = isSet('ssa', 'Ignore')
  const isPruneDisabled = isSet('prune', 'disabled')
  return {
    /** Neither applied nor pruned (KS-283, KS-284). */
    isExcluded: (object: KubernetesObject) => isReconcileDisabled(object) || isIgnored(object),
    /** Created once, never updated (KS-281). */
    isIfNotPresent: isSet('ssa', 'IfNotPresent'),
    /** Keeps what other tools have added (KS-279). */
    isMerge: isSet('ssa', 'Merge'),
    /** Deleted and recreated if an update is refused (KS-209). */
    isForced: isSet('force', 'enabled'),
    /** Kept when it leaves the build (KS-027, KS-028, KS-032, KS-033). */
    isKept: (object: KubernetesObject) => isPruneDisabled(object) || isReconcileDisabled(object) || isIgnored(object),
  }
}

export type Policies = ReturnType<typeof policies>
