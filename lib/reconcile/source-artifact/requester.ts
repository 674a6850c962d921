import { requestedAtOf, requestedByAnnotation } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** A source that was asked finds what is new within this time, in milliseconds; lastUpdateTime has whole seconds. */
const [earliestMs, latestMs] = [-1000, 2 * 60_000]

/**
 * Who had a source look for what it has found, as far as that can be told: its artifact came soon after the request. Undefined for one that came
 * with an interval.
 */
export const requesterOf = (source: KubernetesObject): string | undefined => {
  const { artifact } = (source.status ?? {}) as { readonly artifact?: { readonly lastUpdateTime?: string } }
  const tookMs = Date.parse(artifact?.lastUpdateTime ?? '') - Date.parse(requestedAtOf(source) ?? '')
  return tookMs >= earliestMs && tookMs <= latestMs ? source.metadata.annotations?.[requestedByAnnotation] : undefined
}
