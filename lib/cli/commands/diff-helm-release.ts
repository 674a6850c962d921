import { Command } from 'commander'
import { changesOf, type PreviewedChange } from '../../clusters/helm-release/changes.ts'
import { type Preview, preview } from '../../clusters/helm-release/preview.ts'
import { ActionFailed } from '../../clusters/helm-release/run.ts'
import { manifestObjects } from '../../engines/helm/release/manifest-text.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeDrift } from '../describe-drift.ts'
import { withChartErrors } from '../helm/chart-errors.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { type LocalReleaseOptions, releaseNamed, withLocalReleaseOptions, workOn } from '../local-release.ts'
import { isColourful, type Output } from '../output.ts'

interface Options extends HubOptions, LocalReleaseOptions {}

const examples = `
Examples:
  # What an upgrade of podinfo would change on its cluster
  keelson diff helmrelease podinfo -n apps

  # The same with the HelmRelease and the chart as they are on this machine; it need not be in the hub yet
  keelson diff helmrelease podinfo -n apps --helmrelease-file ./podinfo.yaml --path ./charts/podinfo

Exit codes: 0 nothing would change, 1 something would, 2 the comparison failed.
`

/** `keelson diff helmrelease`: compares what an upgrade would write with the live cluster, by dry runs. Changes nothing. */
export const diffHelmReleaseCommand = (env: NodeJS.ProcessEnv, output: Output): Command =>
  withHubOptions(
    withLocalReleaseOptions(
      new Command('helmrelease')
        .alias('hr')
        .summary('compare what a HelmRelease would install with its cluster')
        .description('Renders a HelmRelease and shows, object by object, what an upgrade would change on its cluster.')
        .argument('<name>', 'name of the HelmRelease'),
    ),
  )
    .addHelpText('after', examples)
    .action((name: string, options: Options) => diff(name, options, env, output))

const diff = async (name: string, options: Options, env: NodeJS.ProcessEnv, output: Output): Promise<void> => {
  const failed = (error: Error) => new CommandFailed(error.message, { exitCode: 2, cause: error })
  let changes: readonly PreviewedChange[] = []
  const compare = () =>
    withHub(options, env, async hub => {
      const release = await releaseNamed(name, options, hub)
      const { deps, requests } = await workOn(release, options, hub)
      const built = await preview(deps, requests)
      changes = await changesOf(deps, built)
      const isUpgraded = changes.length > 0 || isAnother(built)
      if (isUpgraded) output.results.write(`${headline(built)}\n${hooksOf(built)}`)
    })
  await withChartErrors(compare).catch(error => {
    throw error instanceof CommandFailed || error instanceof ActionFailed ? failed(error) : error
  })
  const colourful = isColourful(output.results, env)
  for (const change of changes) output.results.write(describe(change, colourful))
  const refused = changes.filter(change => change.type === 'refused')
  const messages = refused.map(({ object, message }) => `${describeRef(refOf(object))}: ${message}`)
  if (messages.length > 0) throw new CommandFailed(messages.join('\n'), { exitCode: 2 })
  if (changes.some(({ type }) => type !== 'kept'))
    throw new CommandFailed('identified at least one change, exiting with non-zero exit code', { exitCode: 1 })
}

const titleOf = ({ name, version, chart }: Release): string =>
  `${name}.v${version} with chart ${chart?.metadata.name}@${chart?.metadata.version}`

const headline = ({ current, release }: Preview): string =>
  current ? `► upgrade of ${titleOf(current)} to ${titleOf(release)}` : `► installation of ${titleOf(release)}`

/** Whether the chart has another version, or nothing is installed: then hooks run even if no object differs. */
const isAnother = ({ current, release }: Preview): boolean =>
  current?.chart?.metadata.version !== release.chart?.metadata.version ||
  current?.chart?.metadata.name !== release.chart?.metadata.name

const hooksOf = ({ current, release, request }: Preview): string => {
  if (!request.hooks) return ''
  const events = current ? ['pre-upgrade', 'post-upgrade'] : ['pre-install', 'post-install']
  const namespace = release.namespace ?? request.namespace
  return events
    .flatMap(event =>
      (release.hooks ?? [])
        .filter(hook => hook.events?.includes(event))
        .flatMap(({ manifest }) => manifestObjects(manifest))
        .map(object => {
          const { kind, metadata } = object as { kind: string; metadata: { name: string; namespace?: string } }
          return `► hook ${kind}/${metadata.namespace ?? namespace}/${metadata.name} runs (${event})\n`
        }),
    )
    .join('')
}

const describe = (change: PreviewedChange, colourful: boolean): string => {
  const name = describeRef(refOf(change.object))
  switch (change.type) {
    case 'refused':
      return ''
    case 'kept':
      return `► ${name} left where it is (helm.sh/resource-policy: keep)\n`
    case 'changed': {
      const drift = describeDrift(change.live, change.applied, { colourful })
      return `► ${name} changed\n${drift || '  (no field changes; Helm takes over those that it set client-side)\n'}`
    }
    default:
      return `► ${name} ${change.type}\n`
  }
}
