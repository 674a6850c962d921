import { Command } from 'commander'
import type { Snapshot } from '../../foundations/kinds/applied.ts'
import type { ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import { describeRef, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { CommandFailed } from '../command-failed.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { lookupIn } from '../local-build.ts'
import { table } from '../table.ts'

const examples = `
Examples:
  # The last versions of a release, as helm history has them on its cluster
  keelson history helmrelease/podinfo -n apps

  # What a Kustomization has applied of late, and how that went
  keelson history kustomization/my-app
`

/** `keelson history`: past releases or reconciliations, from the status; does not contact the cluster. */
export const historyCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('history')
      .summary('show the past releases or reconciliations of a Flux object')
      .description(
        'Shows the latest versions of a HelmRelease, or the latest reconciliations of a Kustomization or ResourceSet.',
      )
      .argument('<object>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the object, if not given as KIND/NAME'),
  )
    .addHelpText('after', examples)
    .action(async (word: string, name: string | undefined, options: HubOptions) => {
      const { kind, name: found = name } = parseTarget(word)
      if (!found) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
      const ref = { group: kind.group, kind: kind.kind, namespace: options.namespace, name: found }
      const object = await withHub(options, env, ({ cluster, signal }) =>
        lookupIn(cluster, signal).get<WithHistory>(ref),
      )
      if (!object) throw new CommandFailed(`${describeRef(ref)} not found`)
      const history = object.status?.history ?? []
      if (history.length === 0) throw new CommandFailed(`${describeRef(ref)} has no history`)
      output.write(kind.kind === 'HelmRelease' ? releases(history as ReleaseSnapshot[]) : passes(history as Snapshot[]))
    })

type WithHistory = KubernetesObject & {
  readonly status?: { readonly history?: readonly ReleaseSnapshot[] | readonly Snapshot[] }
}

/** The oldest first, like Helm. */
const releases = (history: readonly ReleaseSnapshot[]): string =>
  table(
    ['REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION', 'ACTION'],
    history
      .toReversed()
      .map(({ version, lastDeployed, status, chartName, chartVersion, appVersion = '', action = '' }) => [
        String(version),
        lastDeployed,
        status,
        `${chartName}-${chartVersion}`,
        appVersion,
        action,
      ]),
  )

const passes = (history: readonly Snapshot[]): string =>
  table(
    ['FIRST', 'LAST', 'STATUS', 'COUNT', 'REVISION'],
    history
      .toReversed()
      .map(({ firstReconciled, lastReconciled, lastReconciledStatus, totalReconciliations, metadata }) => [
        firstReconciled,
        lastReconciled,
        lastReconciledStatus,
        String(totalReconciliations),
        metadata?.revision ?? '',
      ]),
  )
