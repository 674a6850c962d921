import { Command } from 'commander'
import { undoPatch } from '../../foundations/fleet/actions.ts'
import { isOff } from '../../foundations/fleet/object-state.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { kustomization as kustomizationKind } from '../../foundations/kinds/kustomization.ts'
import { describeRef, type ObjectRef } from '../../foundations/kinds/object.ts'
import { type Run, run as runKind } from '../../foundations/kinds/run.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { CommandFailed } from '../command-failed.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly to?: string
  readonly dryRun: boolean
}

const examples = `
Examples:
  # Back to what was applied before the last change
  keelson undo kustomization/shop -n apps

  # Back to what a run has applied
  keelson runs kustomization/shop -n apps
  keelson undo kustomization/shop -n apps --to kustomization-shop-0mjk1q2w3

  # Follow the source again
  keelson resume kustomization/shop -n apps

Exit codes: 0 when the undo is stored, 1 when there is nothing to go back to, or the unit could not be changed.
`

/** `keelson undo`: a Kustomization applies again what it has applied before, and stays there until it is resumed. */
export const undoCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withHubOptions(
    new Command('undo')
      .summary('return a unit to what it has applied before')
      .description(
        'Has a Kustomization apply the manifests of an earlier run, and keep them until it is resumed: drift is corrected, and new revisions wait. Windows, approvals and the guard hold as for any change.',
      )
      .argument('<unit>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the unit, if not given as KIND/NAME'),
  )
    .option('--to <run>', 'the Run whose manifests are applied; by default those before the last change')
    .option('--dry-run', 'only show which', false)
    .addHelpText('after', examples)
    .action((word: string, name: string | undefined, options: Options) =>
      withHub(options, env, async hub => {
        const ref = kustomizationNamed(word, name, options.namespace)
        const { to, revision } = await targetOf(hub, ref, options)
        const what = `${describeRef(ref)} ${options.dryRun ? 'would return' : 'returns'} to revision ${revision}, manifests ${to}`
        if (options.dryRun) return terminal.print(what)
        await hub.cluster.patch(
          apiVersionOf(kustomizationKind),
          ref,
          { type: 'merge', patch: undoPatch(to) },
          { fieldManager: 'keelson', signal: hub.signal },
        )
        terminal.success(
          `${what}; to follow the source again: keelson resume ${word}${name ? `/${name}` : ''} -n ${ref.namespace}`,
        )
      }),
    )

const kustomizationNamed = (word: string, name: string | undefined, namespace: string): ObjectRef => {
  const { kind, name: found = name } = parseTarget(word)
  if (!found) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
  if (kind.kind !== kustomizationKind.kind)
    throw new CommandFailed(`a ${kind.kind} can't be undone: name a Kustomization`)
  return { group: kind.group, kind: kind.kind, namespace, name: found }
}

interface Target {
  /** Digest of the manifests. */
  readonly to: string
  readonly revision: string
}

const targetOf = async (hub: HubAccess, ref: ObjectRef, options: Options): Promise<Target> => {
  const title = describeRef(ref)
  const unit = (await hub.cluster.get(apiVersionOf(kustomizationKind), ref, { signal: hub.signal })) as
    | Kustomization
    | undefined
  if (!unit) throw new CommandFailed(`${title} not found`)
  if (isOff(unit)) throw new CommandFailed(`${title} is suspended: nothing is applied until it is resumed`)
  if (options.to !== undefined) return appliedBy(await readRun(hub, ref, options.to), unit)
  if (undoOf(unit))
    throw new CommandFailed(
      `${title} is undone already: name another run with --to, or follow the source again by keelson resume`,
    )
  const [last, ...earlier] = unit.status?.history ?? []
  const found = earlier.find(
    ({ digest, lastReconciledStatus }) => digest !== last!.digest && lastReconciledStatus === 'ReconciliationSucceeded',
  )
  if (!found) throw new CommandFailed(`the history of ${title} has nothing to return to: name a run with --to`)
  return { to: found.digest, revision: found.metadata?.revision ?? 'unknown' }
}

const readRun = async ({ cluster, signal }: HubAccess, { namespace }: ObjectRef, name: string): Promise<Run> => {
  const ref = { group: runKind.group, kind: runKind.kind, namespace, name }
  const found = (await cluster.get(apiVersionOf(runKind), ref, { signal })) as Run | undefined
  if (!found) throw new CommandFailed(`${describeRef(ref)} not found`)
  return found
}

const appliedBy = (
  { metadata: { name }, unit, manifests, revision, result }: Run,
  { metadata }: Kustomization,
): Target => {
  if (unit.uid !== metadata.uid)
    throw new CommandFailed(`${name} is a run of ${unit.kind}/${unit.name}, or of an earlier object of that name`)
  if (result !== 'Succeeded') throw new CommandFailed(`${name} has the result ${result}: name a run that has succeeded`)
  if (manifests === undefined) throw new CommandFailed(`${name} does not name the manifests that it has applied`)
  return { to: manifests, revision: revision ?? 'unknown' }
}
