import { Command } from 'commander'
import { type Comparison, isDifferent } from '../../foundations/fleet/comparison.ts'
import type { UnitRow } from '../../foundations/fleet/unit-rows.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type Run, run as runKind } from '../../foundations/kinds/run.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { followOrder } from '../../hub-client/follow-order.ts'
import { CommandFailed } from '../command-failed.ts'
import { changesIn } from '../describe-run.ts'
import { fetchAll, refusalLines } from '../fleet-reports.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { table } from '../table.ts'
import { unitNamed } from '../unit.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly selector?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # What was changed on clusters behind the hub's back, by whom and when
  keelson drift -A

  # Compare the cluster of one unit now with what the unit applied last, even if it does not report drift
  keelson drift kustomization/web -n apps

  # The same with a ResourceSet, which renders again with its inputs of now
  keelson drift resourceset/tenants -n apps

  # Only report it, for one Kustomization
  kubectl annotate kustomization web -n apps kustomize.keelson.dev/drift=report

Exit codes: 0 when nothing has drifted, 1 when something has, 2 when the hub refused to show a part, or a unit can't be compared.
`

/** A unit with drift that it reports. */
interface Drifted {
  readonly unit: string
  readonly cluster: string
  readonly since: string
  readonly message: string
  /** The Run with each object and field; absent if it is not kept any more, or is of a HelmRelease. */
  readonly run?: Run
}

/** `keelson drift`: units whose cluster differs from what they have applied, with what differs. */
export const driftCommand = (
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
  notes: NodeJS.WritableStream,
): Command =>
  withHubOptions(
    new Command('drift')
      .summary('show what was changed on clusters, and is only reported')
      .description(
        'Shows the units whose cluster differs from what they have applied: Kustomizations that report drift, and HelmReleases with driftDetection. With the name of a unit, its cluster is compared now, by dry runs with the identity of the unit: with what it applied last, or, for a ResourceSet, with what it renders.',
      )
      .argument('[unit]', 'KIND/NAME or KIND NAME of a unit to compare now')
      .argument('[name]', 'name of the unit, if not in KIND/NAME'),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .option('-l, --selector <selector>', 'of units with these labels, as of kubectl')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (word: string | undefined, name: string | undefined, options: Options) => {
      if (word !== undefined) return compareNow(word, name, options, { env, output, notes })
      const { drifted, refused } = await withHub(options, env, hub => find(hub, options))
      output.write(asDocument(drifted, options.output) ?? describe(drifted))
      for (const line of refused) notes.write(`${line}\n`)
      process.exitCode = refused.length > 0 ? 2 : drifted.length > 0 ? 1 : 0
    })

/** As of `keelson drift`: the streams and the environment. */
interface Terminal {
  readonly env: NodeJS.ProcessEnv
  readonly output: NodeJS.WritableStream
  readonly notes: NodeJS.WritableStream
}

const comparedKinds = ['Kustomization', 'HelmRelease', 'ResourceSet']

const compareNow = async (word: string, name: string | undefined, options: Options, terminal: Terminal) => {
  const { env, output, notes } = terminal
  if (options.allNamespaces || options.selector)
    throw new CommandFailed('--all-namespaces and --selector are not for one unit')
  const found = await withHub(options, env, async hub => {
    const { ref, title } = unitNamed(word, name, { namespace: options.namespace, kinds: comparedKinds })
    const comparison = await followOrder<Comparison>(more => {
      const query = new URLSearchParams({ unit: `${ref.kind}/${ref.namespace}/${ref.name}`, ...more })
      return hub.cluster.document!(`/fleet/live/diff?${query}`, { signal: hub.signal })
    }, hub.signal)
    return { title, comparison }
  }).catch(error => {
    throw new CommandFailed(errorMessage(error), { exitCode: 2, cause: error })
  })
  const { title, comparison } = found
  output.write(asDocument(comparison, options.output) ?? describeComparison(title, comparison))
  for (const line of comparison.refused) notes.write(`not compared: ${line}\n`)
  process.exitCode = comparison.refused.length > 0 ? 2 : isDifferent(comparison) ? 1 : 0
}

const describeComparison = (title: string, { desired, revision, counts, changes, moreChanges }: Comparison): string => {
  const what = desired === 'AppliedLast' ? 'was applied last' : 'it renders now and has not applied yet'
  return `${title} ${isDifferent({ counts }) ? 'differs from' : 'is as'} ${revision}, which ${what}\n${changesIn({ counts, changes, moreChanges })}`
}

/** Units whose Runs are read. */
const maxRuns = 100

const find = async (hub: HubAccess, options: Options) => {
  const report = await fetchAll<UnitRow>(hub, { about: 'units', scope: options, parameters: { drifted: 'true' } })
  const drifted = await Promise.all(
    report.items.map(async (row, at) => driftedUnit(row, at < maxRuns ? await runOf(hub, row) : undefined)),
  )
  return { drifted, refused: refusalLines(report) }
}

const driftedUnit = ({ kind, namespace, name, clusters, drift }: UnitRow, run: Run | undefined): Drifted => ({
  unit: `${kind}/${namespace}/${name}`,
  cluster: clusters.join(', '),
  since: drift!.since,
  message: drift!.message,
  ...(run && { run }),
})

/** The latest Run that has reported its drift. */
const runOf = async ({ cluster, signal }: HubAccess, { kind, namespace, name }: UnitRow): Promise<Run | undefined> => {
  const of = runKind as unknown as Kind
  const fieldSelector = `unit.kind=${kind},unit.name=${name},result=Drifted`
  const query = { apiVersion: apiVersionOf(of), kind: of.kind, namespace, fieldSelector, limit: 1 }
  return (await cluster.list(query, { signal })).items[0] as Run | undefined
}

const describe = (drifted: readonly Drifted[]): string => {
  if (drifted.length === 0) return 'Nothing has drifted.\n'
  const now = Date.now()
  const rows = drifted.map(({ unit, cluster, since, message, run }) => [
    unit,
    cluster,
    ageOf(since, now),
    String(run?.counts.drifted ?? ''),
    message.split('\n')[0]!,
  ])
  const details = drifted.map(({ unit, message, run }) => `\n${unit}\n${run ? changesIn(run) : indented(message)}`)
  return table(['UNIT', 'CLUSTER', 'SINCE', 'OBJECTS', 'MESSAGE'], rows) + details.join('')
}

const indented = (message: string): string => message.trimEnd().replaceAll(/^/gm, '  ').concat('\n')
