import { Command, Option } from 'commander'
import { wholeNumber } from '../../compose/settings/value-format.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { type Cluster, cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type Run, runCauses, run as runKind, runResults } from '../../foundations/kinds/run.ts'
import { namedTarget } from '../../foundations/kinds/target-reference.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeRun, runTable } from '../describe-run.ts'
import { fieldSelectorOf, timeTerms } from '../field-terms.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { argument, namedValue } from '../option-values.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly since?: string
  readonly until?: string
  readonly cluster?: string
  readonly by?: string
  readonly result?: string
  readonly cause?: string
  readonly limit: number
  readonly output: OutputForm
}

const examples = `
Examples:
  # What was changed in a namespace of late, and what failed
  keelson runs -n apps

  # What changed between 14:00 and 14:10, anywhere, and who requested it
  keelson runs -A --since 14:00 --until 14:10

  # What one Kustomization did in the last day, on one cluster
  keelson runs kustomization/my-app --since 24h --cluster prod-eu

  # One run: phases, each change with its fields, errors
  keelson runs kustomization-my-app-0mjk1q2w3
`

/** `keelson runs`: what passes over units have done, the newest first; or one of them in full. */
export const runsCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('runs')
      .summary('show what was changed, why, and what failed')
      .description(
        'Shows the runs of Kustomizations, HelmReleases and ResourceSets that changed something, failed, or were requested, the newest first.',
      )
      .argument('[unit-or-run]', 'KIND/NAME of a unit, or the name of one run'),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .option('--since <time>', 'that began at this time (14:00, an RFC 3339 time, or 2h for two hours ago) or later')
    .option('--until <time>', 'that began at this time or earlier')
    .option('--cluster <name>', 'on the cluster of this Cluster, or of the Secret or ConfigMap of this name')
    .option('--by <user>', 'caused by this user, sender of a push, or author of a commit (name or address)')
    .addOption(new Option('--cause <cause>', 'with this cause, as Override or Drift').argParser(namedValue(runCauses)))
    .addOption(new Option('--result <result>', 'with this result').argParser(namedValue(runResults)))
    .addOption(
      new Option('--limit <number>', 'maximum number of runs')
        .argParser(argument(wholeNumber(1, 100_000)))
        .default(100),
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (what: string | undefined, options: Options) => {
      const isOne = what !== undefined && !what.includes('/')
      const text = await withHub(options, env, hub =>
        isOne ? showOne(hub, what, options) : showAll(hub, what, options),
      )
      output.write(text)
    })

const kind = runKind as unknown as Kind
const query = { apiVersion: apiVersionOf(kind), kind: kind.kind }

const showOne = async ({ cluster, signal }: HubAccess, name: string, options: Options): Promise<string> => {
  const ref = { group: kind.group, kind: kind.kind, namespace: options.namespace, name }
  const found = (await cluster.get(query.apiVersion, ref, { signal })) as Run | undefined
  if (!found) throw new CommandFailed(`run '${name}' not found in ${options.namespace}: name a unit as KIND/NAME`)
  return asDocument(found, options.output) ?? describeRun(found)
}

const showAll = async (hub: HubAccess, unit: string | undefined, options: Options): Promise<string> => {
  const { allNamespaces, namespace, limit } = options
  const now = Date.now()
  const terms = { ...unitTerms(unit), ...timeTerms(options, now), ...(await otherTerms(hub, options)) }
  const fieldSelector = fieldSelectorOf(terms)
  const { items } = await hub.cluster.list(
    { ...query, limit, ...(!allNamespaces && { namespace }), ...(fieldSelector && { fieldSelector }) },
    { signal: hub.signal },
  )
  const runs = items as readonly Run[]
  const form = { withNamespace: allNamespaces, isWide: options.output === 'wide', now }
  return asDocument(runs, options.output) ?? (runTable(runs, form) || 'No runs found.\n')
}

const unitTerms = (unit: string | undefined): Readonly<Record<string, string>> => {
  if (unit === undefined) return {}
  const { kind: found, name } = parseTarget(unit)
  return { 'unit.kind': found.kind, ...(name && { 'unit.name': name }) }
}

const otherTerms = async (hub: HubAccess, options: Options): Promise<Readonly<Record<string, string>>> => {
  const { cluster, by, cause, result } = options
  return {
    ...(cluster !== undefined && { 'cluster.name': await accessNameOf(hub, cluster, options) }),
    ...(by !== undefined && { by }),
    ...(cause !== undefined && { 'cause.type': cause }),
    ...(result !== undefined && { result }),
  }
}

/** The name of the Secret or ConfigMap that a Cluster names; the name itself if there is no such Cluster. */
const accessNameOf = async (
  { cluster: hub, signal }: HubAccess,
  name: string,
  { allNamespaces, namespace }: Options,
): Promise<string> => {
  const ofCluster = clusterKind as unknown as Kind
  const { items } = await hub.list(
    {
      ...{ apiVersion: apiVersionOf(ofCluster), kind: ofCluster.kind, fieldSelector: `metadata.name=${name}` },
      ...(!allNamespaces && { namespace }),
    },
    { signal },
  )
  const [found] = items as readonly Cluster[]
  return (found && namedTarget(found)?.name) ?? name
}
