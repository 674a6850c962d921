import { Command } from 'commander'
import { undoPatch } from '../../foundations/fleet/actions.ts'
import {
  appliedBy,
  runsToReturnTo,
  type UndoTarget,
  undoneKinds,
  undoRefusal,
} from '../../foundations/fleet/undo-targets.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { kustomization as kustomizationKind } from '../../foundations/kinds/kustomization.ts'
import { describeRef, type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { type Run, run as runKind } from '../../foundations/kinds/run.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { unheld } from '../../foundations/rules/pin.ts'
import { CommandFailed } from '../command-failed.ts'
import { fieldSelectorOf } from '../field-terms.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly to?: string
  readonly reason?: string
  readonly dryRun: boolean
}

const examples = `
Examples:
  # Back to what was applied before the last change
  keelson undo kustomization/shop -n apps --reason 'incident 4711'

  # Back to what a run has applied
  keelson runs kustomization/shop -n apps
  keelson undo kustomization/shop -n apps --to kustomization-shop-0mjk1q2w3

  # A HelmRelease, by a rollback of helm
  keelson undo helmrelease/redis -n apps

  # Follow the source again
  keelson resume kustomization/shop -n apps

Exit codes: 0 when the undo is stored, 1 when there is nothing to go back to, or the unit could not be changed.
`

/** `keelson undo`: a Kustomization or HelmRelease applies again what it has applied before, and stays there until it is resumed. */
export const undoCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withHubOptions(
    new Command('undo')
      .summary('return a unit to what it has applied before')
      .description(
        'Has a Kustomization apply the manifests of an earlier run, and a HelmRelease roll back to them, and keep them until it is resumed: drift is corrected, and new revisions wait. Windows, approvals and the guard hold as for any change.',
      )
      .argument('<unit>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the unit, if not given as KIND/NAME'),
  )
    .option('--to <run>', 'the Run whose manifests are applied; by default those before the last change')
    .option('--reason <text>', 'why, for those who find it undone')
    .option('--dry-run', 'only show which', false)
    .addHelpText('after', examples)
    .action((word: string, name: string | undefined, options: Options) =>
      withHub(options, env, async hub => {
        const { ref, apiVersion } = unitNamed(word, name, options.namespace)
        const unit = await hub.cluster.get(apiVersion, ref, { signal: hub.signal })
        if (!unit) throw new CommandFailed(`${describeRef(ref)} not found`)
        const { to, revision } = await targetOf(hub, unit, options)
        const what = `${describeRef(ref)} ${options.dryRun ? 'would return' : 'returns'} to revision ${revision}, manifests ${to}`
        if (options.dryRun) return terminal.print(what)
        await hub.cluster.patch(
          apiVersion,
          ref,
          { type: 'merge', patch: undoPatch(to, options.reason) },
          { fieldManager: 'keelson', signal: hub.signal },
        )
        terminal.success(
          `${what}; ${unheld(unit)}to follow the source again: keelson resume ${word}${name ? `/${name}` : ''} -n ${ref.namespace}`,
        )
      }),
    )

const unitNamed = (word: string, name: string | undefined, namespace: string) => {
  const { kind, name: found = name } = parseTarget(word)
  if (!found) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
  if (!undoneKinds.includes(kind.kind))
    throw new CommandFailed(`a ${kind.kind} can't be undone: name a ${undoneKinds.join(' or a ')}`)
  const ref: ObjectRef = { group: kind.group, kind: kind.kind, namespace, name: found }
  return { ref, apiVersion: apiVersionOf(kind) }
}

const targetOf = async (hub: HubAccess, unit: KubernetesObject, { to }: Options): Promise<UndoTarget> => {
  const title = describeRef(refOf(unit))
  const refusal = undoRefusal(unit)
  if (refusal) throw new CommandFailed(`${title} ${refusal}`)
  if (to !== undefined) return appliedByRun(await readRun(hub, unit, to), unit)
  if (undoOf(unit))
    throw new CommandFailed(
      `${title} is undone already: name another run with --to, or follow the source again by keelson resume`,
    )
  const found = unit.kind === kustomizationKind.kind ? fromHistory(unit as Kustomization) : await fromRuns(hub, unit)
  if (!found) throw new CommandFailed(`the history of ${title} has nothing to return to: name a run with --to`)
  return found
}

const fromHistory = ({ status }: Kustomization): UndoTarget | undefined => {
  const [last, ...earlier] = status?.history ?? []
  const found = earlier.find(
    ({ digest, lastReconciledStatus }) => digest !== last!.digest && lastReconciledStatus === 'ReconciliationSucceeded',
  )
  return found && { to: found.digest, revision: found.metadata?.revision ?? 'unknown' }
}

/** The history of a HelmRelease has no digests of what versions have applied. */
const fromRuns = async ({ cluster, signal }: HubAccess, unit: KubernetesObject): Promise<UndoTarget | undefined> => {
  const { name, namespace } = unit.metadata
  const fieldSelector = fieldSelectorOf({ 'unit.kind': unit.kind, 'unit.name': name })
  const { items } = await cluster.list(
    { ...runs, limit: maxRuns, ...(namespace && { namespace }), ...(fieldSelector && { fieldSelector }) },
    { signal },
  )
  const [found] = runsToReturnTo(unit, items as readonly Run[])
  return found && appliedByRun(found, unit)
}

const runs = { apiVersion: apiVersionOf(runKind as unknown as Kind), kind: runKind.kind }

/** How many of the newest runs are read. */
const maxRuns = 100

const readRun = async ({ cluster, signal }: HubAccess, unit: KubernetesObject, name: string): Promise<Run> => {
  const ref = { group: runKind.group, kind: runKind.kind, namespace: unit.metadata.namespace!, name }
  const found = (await cluster.get(runs.apiVersion, ref, { signal })) as Run | undefined
  if (!found) throw new CommandFailed(`${describeRef(ref)} not found`)
  return found
}

const appliedByRun = (run: Run, unit: KubernetesObject): UndoTarget => {
  try {
    return appliedBy(run, unit)
  } catch (error) {
    throw new CommandFailed(errorMessage(error))
  }
}
