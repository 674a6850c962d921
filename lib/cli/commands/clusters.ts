import { Command } from 'commander'
import type { ClusterSummary, UnitMessage } from '../../foundations/fleet/cluster-summary.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import { CommandFailed } from '../command-failed.ts'
import { fetchAll, refusalLines } from '../fleet-reports.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
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
      const report = await withHub(options, env, hub =>
        fetchAll<ClusterSummary>(hub, { about: 'clusters', scope: options }),
      )
      const refused = refusalLines(report)
      if (refused.length > 0) throw new CommandFailed(refused.join('\n'))
      output.write(asDocument(report.items, options.output) ?? clusterTable(report.items, options, Date.now()))
    })

const clusterTable = (
  clusters: readonly ClusterSummary[],
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
  const rows = clusters.map(cluster => {
    const { name, access, version = '', units, server = '', latency = '', credential, held = [] } = cluster
    return [
      ...(allNamespaces ? [access.split('/')[1]!] : []),
      ...[name ?? '<none>', cluster.ready ?? 'Unknown', version, `${units.ready}/${units.total}`],
      name === undefined ? '' : ageOf(cluster.created, now),
      ...(isWide
        ? [access, server, latency, credential?.type ?? '', credential?.validUntil ?? '', held.join(', ')]
        : []),
      statusOf(cluster),
    ]
  })
  return table(headers, rows) || 'No clusters found: nothing here is applied to another cluster than the hub.\n'
}

/** What is wrong first: with the cluster, with its credential, with its control plane, with its units. */
const statusOf = (cluster: ClusterSummary): string => {
  const { state, message = '', expiry, unhealthy, access } = cluster
  const { failing, moreFailing, waiting = [], moreWaiting } = cluster
  const first = message.split('\n')[0]!
  if (state !== undefined && state !== 'ready') return first
  const warning = expiry ?? unhealthy
  if (warning !== undefined) return warning
  return (
    firstOf(failing, moreFailing) ??
    firstOf(waiting, moreWaiting) ??
    (state === undefined ? `no Cluster names ${access}: it is not probed` : first)
  )
}

const firstOf = ([first, ...others]: readonly UnitMessage[], more = 0): string | undefined => {
  const left = others.length + more
  return first && `${first.unit}: ${first.message.split('\n')[0]!}${left > 0 ? ` (and ${left} more)` : ''}`
}
