import { requestedAtOf, requestedByAnnotation } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** A requested reconcile stores a new artifact within this time, in milliseconds; lastUpdateTime has whole seconds. */
const [earliestMs, latestMs] = [-1000, 2 * 60_000]

/**
 * The user who requested the reconcile in which a source found its artifact, as far as is known: the artifact was stored soon after the request.
 * Undefined for an artifact of a scheduled reconcile.
 */
export const requesterOf = (source: KubernetesObject): string | undefined => {
  const { artifact } = (source.status ?? {}) as { readonly artifact?: { readonly lastUpdateTime?: string } }
  const tookMs = Date.parse(artifact?.lastUpdateTime ?? '') - Date.parse(requestedAtOf(source) ?? '')
  return tookMs >= earliestMs && tookMs <= latestMs ? source.metadata.annotations?.[requestedByAnnotation] : undefined
}
