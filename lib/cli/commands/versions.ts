import { Command } from 'commander'
import { fleetOf, objectName } from '../../foundations/fleet/fleet-clusters.ts'
import { groupedVersions, type RunningVersion } from '../../foundations/fleet/versions.ts'
import { shortRevision } from '../../foundations/kinds/run.ts'
import { fetchAll, refusalLines } from '../fleet-reports.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { onClusters } from '../open-cluster.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { fleetKinds, fleetObjectsIn, listKinds, readNamespaces } from '../read-fleet.ts'
import { runningImages } from '../running-images.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly images: boolean
  readonly selector?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # Which clusters have applied which revision, and which version of a chart
  keelson versions -A

  # Where does which image run? Reads the workloads on the clusters
  keelson versions -A --images image/nginx

  # Of one source, with the names of units
  keelson versions -n apps gitrepository/app -o wide

Exit codes: 0 when all could be read, 2 when the hub or a cluster did not respond or refused to show a part.
`

/** `keelson versions`: which clusters run which revision, chart and image. */
export const versionsCommand = (
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
  notes: NodeJS.WritableStream,
): Command =>
  withHubOptions(
    new Command('versions')
      .summary('show which clusters run which revision, chart and image')
      .description(
        'Shows which clusters have applied which revision of a source and which version of a chart, and with --images which images run there.',
      )
      .argument('[what]', 'only things with this in their name, as gitrepository/app, chart/podinfo, image/nginx'),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .option('-l, --selector <selector>', 'of units with these labels, as of kubectl')
    .option('--images', 'also the images of workloads, read on the clusters', false)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (what: string | undefined, options: Options) => {
      const { versions, problems } = await withHub(options, env, hub => find(hub, options))
      const wanted = versions.filter(version => isWanted(version, what))
      output.write(asDocument(wanted, options.output) ?? (versionTable(wanted, options) || 'No versions found.\n'))
      for (const problem of problems) notes.write(`${problem}\n`)
      if (problems.length > 0) process.exitCode = 2
    })

const find = async (hub: HubAccess, options: Options) => {
  const names = String(options.output === 'table' ? maxNames : 5_000)
  const wanted = { about: 'versions', scope: options, parameters: { names } } as const
  const [report, images] = await Promise.all([
    fetchAll<RunningVersion>(hub, wanted),
    options.images ? findImages(hub, options) : { versions: [], failed: [] },
  ])
  return {
    versions: [...report.items, ...images.versions],
    problems: [...refusalLines(report), ...images.failed],
  }
}

const findImages = async (hub: HubAccess, options: Options) => {
  const { selector } = options
  const scope = { ...options, ...(selector && { labelSelector: selector }) }
  const [listed, namespaces] = await Promise.all([listKinds(hub, scope, fleetKinds), readNamespaces(hub, options)])
  const { clusters } = fleetOf(fleetObjectsIn(listed, namespaces))
  const { found, failed } = await onClusters(hub, clusters, (client, at) => runningImages(client, at, hub.signal))
  const units = new Set(clusters.flatMap(at => at.units.map(({ object }) => objectName(object))))
  return { versions: groupedVersions(selector ? found.filter(({ unit }) => units.has(unit)) : found), failed }
}

/** By any part of the name, in any case; `chart/x` and `image/x` as well as `chart x`. */
const isWanted = ({ what }: RunningVersion, filter: string | undefined): boolean => {
  if (filter === undefined) return true
  const name = what.toLowerCase().replace(' ', '/')
  const [kind = '', ...rest] = filter.toLowerCase().split('/')
  return rest.length === 0 ? name.includes(kind) : name.startsWith(`${kind}/`) && name.includes(rest.join('/'))
}

const maxNames = 3

const versionTable = (versions: readonly RunningVersion[], { output }: Options): string =>
  table(
    ['WHAT', 'VERSION', 'CLUSTERS', 'UNITS', 'ON', ...(output === 'wide' ? ['BY'] : [])],
    versions.map(({ what, version, clusters, units, moreClusters = 0, moreUnits = 0 }) => [
      what,
      shortRevision(version),
      ...[clusters.length + moreClusters, units.length + moreUnits].map(String),
      listed(clusters, moreClusters, output),
      ...(output === 'wide' ? [listed(units, moreUnits, output)] : []),
    ]),
  )

const listed = (names: readonly string[], more: number, output: OutputForm): string => {
  const shown = output === 'wide' ? names : names.slice(0, maxNames)
  const left = names.length - shown.length + more
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
