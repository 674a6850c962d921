import { Command } from 'commander'
import { type FleetCluster, fleetOf, objectName, type Unit } from '../../foundations/fleet/fleet-clusters.ts'
import { countsOf } from '../../foundations/fleet/fleet-summary.ts'
import { objectStateOf, statusCondition } from '../../foundations/fleet/object-state.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { holdsAt } from '../../foundations/rules/windows.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { fleetKinds, fleetObjectsIn, listKinds, readNamespaces, refusalsIn } from '../read-fleet.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly output: OutputForm
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
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const [listed, namespaces] = await withHub(options, env, hub =>
        Promise.all([listKinds(hub, options, fleetKinds), readNamespaces(hub, options)]),
      )
      const refused = refusalsIn(listed)
      if (refused.length > 0) throw new CommandFailed(refused.join('\n'))
      output.write(printed(fleetOf(fleetObjectsIn(listed, namespaces)).clusters, options, Date.now()))
    })

const printed = (fleet: readonly FleetCluster[], options: Options, now: number): string =>
  asDocument(
    fleet.map(one => summaryOf(one, now)),
    options.output,
  ) ?? clusterTable(fleet, options, now)

const failingOf = (units: readonly Unit[]): readonly Unit[] =>
  units.filter(({ state }) => state === 'failed' || state === 'stalled')

const summaryOf = ({ cluster, access, units }: FleetCluster, now: number) => ({
  ...(cluster && { namespace: cluster.metadata.namespace, name: cluster.metadata.name }),
  access: describeTarget(access),
  ...(cluster && { state: objectStateOf(cluster).state, message: objectStateOf(cluster).message }),
  ...seenOf(cluster),
  units: countsOf(units),
  failing: failingOf(units).map(({ object, message }) => ({ unit: objectName(object), message })),
  ...(waitingOf(units).length > 0 && { waiting: waitingOf(units) }),
  ...(cluster?.spec.windows && { held: heldOf(cluster, now) }),
})

/** The units with work that waits for a time, and for which. */
const waitingOf = (units: readonly Unit[]) =>
  units.flatMap(({ object }) => {
    const waiting = statusCondition(object, waitingCondition)
    return waiting?.status === 'True' ? [{ unit: objectName(object), message: waiting.message }] : []
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
    const { ready, total } = countsOf(units)
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
    return `${objectName(failing.object)}: ${first(failing.message)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`
  const [waiting, ...otherWaiting] = waitingOf(units)
  if (waiting)
    return `${waiting.unit}: ${first(waiting.message)}${otherWaiting.length > 0 ? ` (and ${otherWaiting.length} more)` : ''}`
  return cluster
    ? first(objectStateOf(cluster).message)
    : `no Cluster names ${describeTarget(access)}: it is not probed`
}
