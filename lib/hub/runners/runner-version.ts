import { compareVersions, parseVersion } from '../../engines/semver/version.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../store/hub.ts'
import type { EventRequest, SyncRequest } from './protocol.ts'

/** On a Cluster: the version of its runner. */
const versionAnnotation = 'fleet.keelson.dev/runner-version'

/** On a Cluster: the types of orders that its runner takes. */
const ordersAnnotation = 'fleet.keelson.dev/runner-orders'

interface Ports {
  readonly hub: Pick<Hub, 'patch'>
  readonly recordEvent: (
    object: KubernetesObject,
    occurrence: EventRequest['occurrence'],
    component: string,
  ) => Promise<void>
  /** That of the hub. */
  readonly version: string
}

/** Notes which version a Cluster's runner has, and which orders it takes; an Event says when the version is older than the hub. */
export const noteRunner = async (
  cluster: KubernetesObject,
  { version: runner, takes }: Pick<SyncRequest, 'version' | 'takes'>,
  { hub, recordEvent, version }: Ports,
): Promise<void> => {
  if (typeof runner !== 'string' || !/^[\w.+-]{1,64}$/.test(runner)) return
  const types = Array.isArray(takes) ? takes.filter(one => /^[a-z]{1,20}$/.test(String(one))).slice(0, 10) : []
  const known = cluster.metadata.annotations ?? {}
  const noted = { [versionAnnotation]: runner, [ordersAnnotation]: types.join(',') }
  if (Object.entries(noted).every(([name, value]) => known[name] === value)) return
  await hub.patch(refOf(cluster), { type: 'merge', patch: { metadata: { annotations: noted } } }, manager)
  if (known[versionAnnotation] === runner || !isOlder(runner, version)) return
  const message = `the runner has version ${runner}, the hub ${version}: keelson runner upgrade-manifest prints what upgrades it`
  await recordEvent(cluster, { severity: 'info', reason: 'RunnerOutdated', message }, 'keelson')
}

const manager = { fieldManager: 'keelson' }

/** The types of orders that the runner of a Cluster takes, as it has said; none of one that is too old for any. */
export const orderTypesOf = ({ metadata }: KubernetesObject): readonly string[] =>
  metadata.annotations?.[ordersAnnotation]?.split(',').filter(Boolean) ?? []

const isOlder = (runner: string, hub: string): boolean => {
  try {
    return compareVersions(parseVersion(runner), parseVersion(hub)) < 0
  } catch {
    return false
  }
}
