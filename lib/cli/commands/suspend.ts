import { Command } from 'commander'
import { ClusterError } from '../../clusters/client/client.ts'
import { redoPatch, resumePatch, suspendPatch } from '../../foundations/fleet/actions.ts'
import { isOff } from '../../foundations/fleet/object-state.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { suspendedByAnnotation, suspendedForAnnotation } from '../../foundations/kinds/flux.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { describeRef, type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { CommandFailed } from '../command-failed.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { fleetKinds, listKinds, refusalsIn } from '../read-fleet.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly selector?: string
  readonly all: boolean
  readonly dryRun: boolean
  readonly output: OutputForm
}

interface SuspendOptions extends Options {
  readonly reason: string
}

const suspendExamples = `
Examples:
  # Everything that team shop applies anywhere
  keelson suspend -A --selector team=shop --reason 'database migration, until Friday'

  # One unit; one Cluster with all that is applied to it
  keelson suspend kustomization/web -n apps --reason 'incident 4711'
  keelson suspend cluster/prod -n apps --reason 'new control plane'

  # All HelmReleases of a namespace: which would it be?
  keelson suspend helmrelease --all -n apps --reason test --dry-run

  # For a script: what was suspended
  keelson suspend -A -l team=shop --reason 'incident 4711' -o json | jq -r '.[] | [.kind, .namespace, .name] | @tsv'
`

const resumeExamples = `
Examples:
  keelson resume -A --selector team=shop

  # What is suspended, or was undone
  keelson resume kustomization/web -n apps
`

/** `keelson suspend`: Clusters, units and whatever else can be suspended are left alone; who did it and why is written on each. */
export const suspendCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withSelection(
    new Command('suspend')
      .summary('suspend objects by label, with a reason')
      .description(
        'Suspends Clusters, Kustomizations, HelmReleases and ResourceSets, or other Flux objects. The hub writes on each who did it, beside the reason.',
      ),
  )
    .requiredOption('--reason <text>', 'why, for those who find it suspended')
    .addHelpText('after', suspendExamples)
    .action((what: string | undefined, options: SuspendOptions) =>
      change({ env, terminal, what, options, verb: 'suspended', isWanted: object => !isOff(object) }, object =>
        suspendPatch(object, options.reason),
      ),
    )

/** `keelson resume`: what was suspended is reconciled again. */
export const resumeCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withSelection(
    new Command('resume')
      .summary('resume suspended objects by label, or a unit that was undone')
      .description(
        'Resumes Clusters, Kustomizations, HelmReleases and ResourceSets, or other Flux objects. A unit that was undone follows its source again only if it is named.',
      ),
  )
    .addHelpText('after', resumeExamples)
    .action((what: string | undefined, options: Options) =>
      change(
        {
          ...{ env, terminal, what, options, verb: 'resumed' },
          // Of many, none starts again by accident what was undone.
          isWanted: object => isOff(object) || (what?.includes('/') === true && undoOf(object) !== undefined),
        },
        object => (isOff(object) ? resumePatch(object) : redoPatch(new Date().toISOString())),
      ),
    )

const withSelection = (command: Command): Command =>
  withHubOptions(command)
    .argument('[what]', 'KIND or KIND/NAME; Clusters and units if not given')
    .option('-A, --all-namespaces', 'in all namespaces', false)
    .option('-l, --selector <selector>', 'those with these labels, as of kubectl')
    .option('--all', 'all of the kind', false)
    .option('--dry-run', 'only show which', false)
    .addOption(outputOption())

interface Work {
  readonly env: NodeJS.ProcessEnv
  readonly terminal: Terminal
  readonly what: string | undefined
  readonly options: Options
  /** Past participle. */
  readonly verb: string
  readonly isWanted: (object: KubernetesObject) => boolean
}

const change = (work: Work, patchOf: (object: KubernetesObject) => object): Promise<void> =>
  withHub(work.options, work.env, async hub => {
    const { terminal, options, verb } = work
    const isLine = options.output === 'table' || options.output === 'wide'
    const found = await selected(hub, work)
    const wanted = found.filter(work.isWanted)
    if (wanted.length === 0 && isLine) {
      terminal.print(`nothing to do: of ${found.length} that match, none is to be ${verb}`)
      return
    }
    const changed: Changed[] = []
    const failures: string[] = []
    for (const object of wanted) {
      const ref = refOf(object)
      try {
        const after = options.dryRun ? object : await patched(hub, object, ref, patchOf(object))
        const one = changedOf(object, after)
        changed.push(one)
        if (isLine) report(work, ref, one)
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error
        failures.push(`${describeRef(ref)}: ${error.message}`)
      }
    }
    if (!isLine) terminal.print(asDocument(changed, options.output)!.trimEnd())
    if (failures.length > 0) throw new CommandFailed(failures.join('\n'))
  })

/** An object that was changed, or would be: who has suspended it, and why. */
interface Changed {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly suspendedBy?: string
  readonly reason?: string
}

/** A resumed object no longer says who had suspended it. */
const changedOf = (before: KubernetesObject, after: KubernetesObject): Changed => {
  const { apiVersion, kind, metadata } = before
  const { namespace, name } = metadata
  const annotations = { ...metadata.annotations, ...after.metadata.annotations }
  const [by, reason] = [annotations[suspendedByAnnotation], annotations[suspendedForAnnotation]]
  return {
    ...{ apiVersion, kind, ...(namespace && { namespace }), name },
    ...{ ...(by && { suspendedBy: by }), ...(reason && { reason }) },
  }
}

const report = ({ terminal, options, verb }: Work, ref: ObjectRef, { suspendedBy, reason }: Changed): void => {
  const who = suspendedBy ? ` (suspended by ${suspendedBy}${reason ? `: ${reason}` : ''})` : ''
  const detail = options.output === 'wide' ? who : ''
  if (options.dryRun) terminal.print(`${describeRef(ref)} would be ${verb}${detail}`)
  else terminal.success(`${describeRef(ref)} ${verb}${detail}`)
}

const patched = ({ cluster, signal }: HubAccess, { apiVersion }: KubernetesObject, ref: ObjectRef, patch: object) =>
  cluster.patch(apiVersion, ref, { type: 'merge', patch }, { fieldManager: 'keelson', signal })

const selected = async (hub: HubAccess, { what, options }: Work): Promise<readonly KubernetesObject[]> => {
  const { kind, name } = what === undefined ? {} : parseTarget(what)
  const { selector, all, allNamespaces } = options
  if ([name, selector].filter(Boolean).length + Number(all) !== 1)
    throw new CommandFailed('say which: KIND/NAME, --selector LABELS, or KIND --all')
  if (all && !kind) throw new CommandFailed('--all needs a KIND')
  if (name && allNamespaces) throw new CommandFailed('KIND/NAME is in one namespace: use -n')
  if (kind && name) return [await named(hub, kind, name, options.namespace)]
  const listed = await listKinds(
    hub,
    { ...options, ...(selector && { labelSelector: selector }) },
    kind ? [kind] : fleetKinds,
  )
  const refused = refusalsIn(listed)
  if (refused.length > 0) throw new CommandFailed(refused.join('\n'))
  return listed.flatMap(({ items }) => items)
}

const named = async ({ cluster, signal }: HubAccess, kind: Kind, name: string, namespace: string) => {
  const ref = { group: kind.group, kind: kind.kind, namespace, name }
  const found = await cluster.get(apiVersionOf(kind), ref, { signal })
  if (!found) throw new CommandFailed(`${describeRef(ref)} not found`)
  return found
}
