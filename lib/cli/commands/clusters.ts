import { Command, Option } from 'commander'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import type { JsonValue } from '../../engines/yaml/json-value.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { type Cluster, cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { kustomization } from '../../foundations/kinds/kustomization.ts'
import { namespace as namespaceKind } from '../../foundations/kinds/namespace.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { resourceSet } from '../../foundations/kinds/resource-set.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import { conditionOf, timestamp } from '../../foundations/rules/conditions.ts'
import { holdsAt } from '../../foundations/rules/windows.ts'
import { waitingCondition } from '../../reconcile/windows/waiting.ts'
import { type FleetCluster, type FleetObjects, fleetOf, type Unit } from '../fleet.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { objectStateOf } from '../readiness.ts'
import { table } from '../table.ts'

type Form = 'table' | 'wide' | 'json' | 'yaml'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly output: Form
}

const examples = `
Examples:
  # The clusters of a namespace
  keelson clusters -n apps

  # Those of all namespaces, with their addresses and credentials
  keelson clusters -A -o wide
`

/** `keelson clusters`: the clusters that the hub applies to, whether each is reachable, and how many of its units are ready. */
export const clustersCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('clusters')
      .summary('show the clusters that the hub applies to')
      .description(
        'Shows the clusters that the hub applies to: those with a Cluster, and those that Kustomizations, HelmReleases and ResourceSets name without one.',
      ),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .addOption(
      new Option('-o, --output <form>', 'form of the output')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const objects = await withHub(options, env, ({ cluster, signal }) => fleetObjects(cluster, options, signal))
      output.write(printed(fleetOf(objects), options, Date.now()))
    })

const fleetObjects = async (
  hub: ClusterClient,
  { allNamespaces, namespace }: Options,
  signal: AbortSignal,
): Promise<FleetObjects> => {
  const list = async <T extends KubernetesObject>(kind: Kind<T>): Promise<readonly T[]> => {
    const query = { apiVersion: apiVersionOf(kind as unknown as Kind), kind: kind.kind }
    return (await hub.list({ ...query, ...(!allNamespaces && { namespace }) }, { signal })).items as readonly T[]
  }
  const namespaces = async (): Promise<readonly KubernetesObject[]> => {
    if (allNamespaces) return list(namespaceKind)
    const ref = { group: '', kind: 'Namespace', namespace: '', name: namespace }
    const own = await hub.get('v1', ref, { signal }).catch(() => undefined)
    return own ? [own] : []
  }
  const [clusters, kustomizations, releases, sets, ofNamespaces] = await Promise.all([
    list(clusterKind),
    list(kustomization),
    list(helmRelease),
    list(resourceSet),
    namespaces(),
  ])
  return { clusters, units: [...kustomizations, ...releases, ...sets], namespaces: ofNamespaces }
}

const printed = (fleet: readonly FleetCluster[], options: Options, now: number): string => {
  switch (options.output) {
    case 'json':
      return `${JSON.stringify(
        fleet.map(one => summaryOf(one, now)),
        null,
        2,
      )}\n`
    case 'yaml':
      return `${emitJson(fleet.map(one => summaryOf(one, now)) as unknown as JsonValue)}\n`
    default:
      return clusterTable(fleet, options, now)
  }
}

/** By state, in the order of a summary. */
const states = ['ready', 'progressing', 'failed', 'stalled', 'suspended'] as const

const countsOf = (units: readonly Unit[]): Readonly<Record<string, number>> => {
  const found = Object.groupBy(units, ({ state }) => state)
  return { total: units.length, ...Object.fromEntries(states.map(state => [state, found[state]?.length ?? 0])) }
}

const failingOf = (units: readonly Unit[]): readonly Unit[] =>
  units.filter(({ state }) => state === 'failed' || state === 'stalled')

const summaryOf = ({ cluster, access, units }: FleetCluster, now: number) => ({
  ...(cluster && { namespace: cluster.metadata.namespace, name: cluster.metadata.name }),
  access: describeTarget(access),
  ...(cluster && { state: objectStateOf(cluster).state, message: objectStateOf(cluster).message }),
  ...seenOf(cluster),
  units: countsOf(units),
  failing: failingOf(units).map(({ object, message }) => ({ unit: nameOf(object), message })),
  ...(waitingOf(units).length > 0 && { waiting: waitingOf(units) }),
  ...(cluster?.spec.windows && { held: heldOf(cluster, now) }),
})

/** The units with work that waits for a time, and for which. */
const waitingOf = (units: readonly Unit[]) =>
  units.flatMap(({ object }) => {
    const { conditions } = (object.status ?? {}) as { readonly conditions?: readonly Condition[] }
    const waiting = conditionOf(conditions, waitingCondition)
    return waiting?.status === 'True' ? [{ unit: nameOf(object), message: waiting.message }] : []
  })

/** What the windows of a Cluster hold back now, and until when: `Changes until 2026-12-27T00:00:00Z`. */
const heldOf = ({ kind, metadata, spec }: Cluster, now: number): readonly string[] => {
  const owner = `${kind} ${metadata.namespace}/${metadata.name}`
  return Object.entries(holdsAt([{ owner, windows: spec.windows ?? [] }], now)).map(
    ([thing, { until }]) => `${thing}${until === undefined ? '' : ` until ${timestamp(until)}`}`,
  )
}

const seenOf = ({ status }: Partial<Cluster> = {}) => ({
  ...(status?.kubernetesVersion && { version: status.kubernetesVersion }),
  ...(status?.server && { server: status.server }),
  ...(status?.latency && { latency: status.latency }),
  ...(status?.lastContactTime && { lastContactTime: status.lastContactTime }),
  ...(status?.credential && { credential: status.credential }),
})

const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace}/${metadata.name}`

const clusterTable = (
  fleet: readonly FleetCluster[],
  { allNamespaces, output }: Pick<Options, 'allNamespaces' | 'output'>,
  now: number,
): string => {
  const isWide = output === 'wide'
  const headers = [
    ...(allNamespaces ? ['NAMESPACE'] : []),
    ...['NAME', 'READY', 'VERSION', 'UNITS', 'AGE'],
    ...(isWide ? ['ACCESS', 'SERVER', 'LATENCY', 'CREDENTIAL', 'VALID UNTIL', 'HELD'] : []),
    'STATUS',
  ]
  const rows = fleet.map(({ cluster, access, units }) => {
    const { ready = 0, total = 0 } = countsOf(units)
    const { version = '', server = '', latency = '', credential } = seenOf(cluster)
    return [
      ...(allNamespaces ? [access.namespace] : []),
      cluster?.metadata.name ?? '<none>',
      readyOf(cluster),
      version,
      `${ready}/${total}`,
      cluster ? ageOf(cluster.metadata.creationTimestamp, now) : '',
      ...(isWide
        ? [
            ...[describeTarget(access), server, latency, credential?.type ?? '', credential?.validUntil ?? ''],
            cluster ? heldOf(cluster, now).join(', ') : '',
          ]
        : []),
      statusOf(cluster, access, units),
    ]
  })
  return table(headers, rows) || 'No clusters found: nothing here is applied to another cluster than the hub.\n'
}

/** As in the column of `kubectl get`. */
const readyOf = (cluster: Cluster | undefined): string =>
  cluster?.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown'

/** What is wrong first: with the cluster, with its credential, with its units. */
const statusOf = (cluster: Cluster | undefined, access: FleetCluster['access'], units: readonly Unit[]): string => {
  const [failing, ...others] = failingOf(units)
  const first = (message: string): string => message.split('\n')[0]!
  if (cluster && objectStateOf(cluster).state !== 'ready') return first(objectStateOf(cluster).message)
  const credential = cluster?.status?.conditions?.find(({ type }) => type === 'CredentialsValid')
  if (credential?.reason === 'ExpiresSoon') return credential.message
  if (failing)
    return `${nameOf(failing.object)}: ${first(failing.message)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`
  const [waiting, ...otherWaiting] = waitingOf(units)
  if (waiting)
    return `${waiting.unit}: ${first(waiting.message)}${otherWaiting.length > 0 ? ` (and ${otherWaiting.length} more)` : ''}`
  return cluster
    ? first(objectStateOf(cluster).message)
    : `no Cluster names ${describeTarget(access)}: it is not probed`
}
