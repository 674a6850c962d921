import { type Cluster, cluster as clusterKind } from '../kinds/cluster.ts'
import { humanDuration } from '../kinds/human-duration.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { conditionOf } from '../rules/conditions.ts'

/** What a Cluster knows of its cluster, by name; none for other kinds. `now` in milliseconds since the epoch. */
export const clusterDetails = (
  object: KubernetesObject,
  now: number,
): readonly (readonly [name: string, text: string])[] => {
  if (object.kind !== clusterKind.kind || !object.apiVersion.startsWith(`${clusterKind.group}/`)) return []
  const { server, kubernetesVersion, latency, lastContactTime, credential, breaker, conditions } =
    (object as Cluster).status ?? {}
  const invalid = conditionOf(conditions, 'CredentialsValid')
  const unhealthy = conditionOf(conditions, 'ControlPlaneHealthy')
  const details: readonly (readonly [string, string | undefined])[] = [
    ['server', server],
    ['version', kubernetesVersion && `${kubernetesVersion}${latency ? `, responds in ${latency}` : ''}`],
    ['contact', lastContactTime && `last ${since(lastContactTime, now)} ago (${lastContactTime})`],
    ['credential', credential && `${credential.type}${expiryOf(credential.validUntil, now)}`],
    ['credential', invalid && invalid.status !== 'True' ? `${invalid.reason}: ${invalid.message}` : undefined],
    ['control plane', unhealthy?.reason === 'ChecksFailed' ? unhealthy.message : undefined],
    [
      'breaker',
      breaker?.state === 'Open'
        ? `open since ${since(breaker.since, now)} (${breaker.since}): units fail without a request`
        : undefined,
    ],
  ]
  return details.flatMap(([name, text]) => (text ? [[name, text] as const] : []))
}

const since = (time: string, now: number): string => humanDuration(Math.max(0, now - Date.parse(time)))

const expiryOf = (validUntil: string | undefined, now: number): string => {
  if (!validUntil) return ''
  const leftMs = Date.parse(validUntil) - now
  return leftMs > 0
    ? `, valid for ${humanDuration(leftMs)} more (until ${validUntil})`
    : `, expired ${humanDuration(-leftMs)} ago (${validUntil})`
}
