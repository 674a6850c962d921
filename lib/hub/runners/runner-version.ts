import { compareVersions, parseVersion } from '../../engines/semver/version.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../store/hub.ts'
import type { EventRequest } from './protocol.ts'

/** On a Cluster: the version of its runner. */
const runnerVersionAnnotation = 'fleet.keelson.dev/runner-version'

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

/** Notes which version a Cluster's runner has; an Event says when that is older than the hub. */
export const noteRunnerVersion = async (
  cluster: KubernetesObject,
  runner: unknown,
  { hub, recordEvent, version }: Ports,
): Promise<void> => {
  if (typeof runner !== 'string' || !/^[\w.+-]{1,64}$/.test(runner)) return
  if (cluster.metadata.annotations?.[runnerVersionAnnotation] === runner) return
  const patch = { metadata: { annotations: { [runnerVersionAnnotation]: runner } } }
  await hub.patch(refOf(cluster), { type: 'merge', patch }, { fieldManager: 'keelson' })
  if (!isOlder(runner, version)) return
  const message = `the runner has version ${runner}, the hub ${version}: keelson runner upgrade-manifest prints what upgrades it`
  await recordEvent(cluster, { severity: 'info', reason: 'RunnerOutdated', message }, 'keelson')
}

const isOlder = (runner: string, hub: string): boolean => {
  try {
    return compareVersions(parseVersion(runner), parseVersion(hub)) < 0
  } catch {
    return false
  }
}
