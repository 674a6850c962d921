import { Command } from 'commander'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { kindOf, type Needs, neededBy } from '../../foundations/fleet/needed-by.ts'
import { type ObjectState, objectStateOf } from '../../foundations/fleet/object-state.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Event } from '../../foundations/kinds/event.ts'
import { requestedAtAnnotation, requestedByAnnotation } from '../../foundations/kinds/flux.ts'
import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import type { HelmReleaseStatus } from '../../foundations/kinds/helm-release-status.ts'
import { humanDuration } from '../../foundations/kinds/human-duration.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { namespace } from '../../foundations/kinds/namespace.ts'
import {
  type Condition,
  describeRef,
  type KubernetesObject,
  type ObjectRef,
  refOf,
} from '../../foundations/kinds/object.ts'
import { overrideAnnotation, waitingCondition } from '../../foundations/kinds/window.ts'
import { fieldsIgnored } from '../../reconcile/kustomization/ignored-fields.ts'
import { windowOverridden } from '../../reconcile/windows/waiting.ts'
import { CommandFailed } from '../command-failed.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { lookupIn } from '../local-build.ts'
import { targetOf } from '../target-of.ts'
import { waitingDeletion } from '../waiting-deletion.ts'
import { eventTable } from './events.ts'

const examples = `
Examples:
  # Why is it not ready, and what happens next
  keelson why kustomization/my-app

  # Short names do
  keelson why -n apps hc/podinfo

  # What the deletion of a namespace waits for
  keelson why namespace/apps
`

/** `keelson why`: the state of one object, since when, why, and what happens next. Exits with 1 if it is not ready. */
export const whyCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('why')
      .summary('explain the state of an object')
      .description('Explains the state of a Flux object: since when, why, and what happens next.')
      .argument('<object>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the object, if not given as KIND/NAME'),
  )
    .addHelpText('after', examples)
    .action(async (word: string, name: string | undefined, options: HubOptions) => {
      const { kind, name: found = name } = parseNamespace(word) ?? parseTarget(word)
      if (!found) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
      const ref = {
        group: kind.group,
        kind: kind.kind,
        namespace: kind.namespaced ? options.namespace : '',
        name: found,
      }
      const explanation = await withHub(options, env, hub => explain(ref, kind, hub))
      output.write(explanation.text)
      if (!explanation.isReady) process.exitCode = 1
    })

/** Kinds that write to a cluster. */
const appliers = new Set(['Kustomization', 'ResourceSet', 'HelmRelease'])

/** Namespaces are supported because their deletion may take long. */
const parseNamespace = (word: string): { readonly kind: Kind; readonly name?: string } | undefined => {
  const [, kind, name] = /^(namespaces?|ns)(?:\/(.+))?$/i.exec(word) ?? []
  return kind ? { kind: namespace, ...(name && { name }) } : undefined
}

type Reconciled = KubernetesObject & {
  readonly spec?: Needs & { readonly interval?: string; readonly retryInterval?: string }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly lastAppliedRevision?: string
    readonly lastAttemptedRevision?: string
    readonly artifact?: { readonly revision?: string }
    readonly helmChart?: string
    readonly history?: HelmReleaseStatus['history']
  }
}

const explain = async (ref: ObjectRef, kind: Kind, { cluster, signal }: HubAccess) => {
  const read = (wanted: ObjectRef, of: Kind) => readObject(cluster, wanted, of, signal)
  const object = await read(ref, kind)
  if (!object) throw new CommandFailed(`${describeRef(ref)} not found`)
  const events = await eventsOf(cluster, ref, signal)
  const now = Date.now()
  const recent = eventTable(events.slice(-5), { withNamespace: false, now })
  const explained = (isReady: boolean, lines: readonly string[]) => ({
    isReady,
    text: `${lines.join('\n')}\n${recent && `\n${recent}`}`,
  })
  if (object.metadata.deletionTimestamp) {
    const { headline, details } = await waitingDeletion(object, events, now, { cluster, signal })
    return explained(false, [headline, ...details.flatMap(([name, value]) => detail(name, value))])
  }
  if (kind === namespace) return explained(true, [`${describeRef(ref)} exists, and is not being deleted`])
  const observed = objectStateOf(object)
  const target = await targetOf(object, lookupIn(cluster, signal))
  const causes = observed.state === 'ready' ? [] : await causesOf(object, read)
  return explained(observed.state === 'ready' || observed.state === 'suspended', [
    headline(object, observed, now),
    ...detail('cluster', target ?? (appliers.has(kind.kind) ? 'the hub itself' : undefined)),
    ...detail('reason', reasonOf(object, observed)),
    ...detail('guarded', guardedOf(object)),
    ...detail('waits', trueConditionOf(object, waitingCondition)?.message),
    ...detail('override', trueConditionOf(object, windowOverridden)?.message),
    ...detail('revision', revisionOf(object)),
    ...detail('release', latestReleaseOf(object)),
    ...detail('ignored', ignoredOf(object)),
    ...detail('requested', requestOf(object)),
    ...causes.flatMap(cause => detail('because of', cause)),
    ...detail('next', nextOf(object, observed)),
  ])
}

const readObject = async (
  cluster: ClusterClient,
  ref: ObjectRef,
  kind: Kind,
  signal: AbortSignal,
): Promise<Reconciled | undefined> => (await cluster.get(apiVersionOf(kind), ref, { signal })) as Reconciled | undefined

type Read = (ref: ObjectRef, kind: Kind) => Promise<Reconciled | undefined>

const readyOf = ({ status }: Reconciled): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')

const descriptions: Readonly<Record<ObjectState['state'], string>> = {
  ready: 'is ready',
  progressing: 'is being reconciled',
  failed: 'is failing, and is retried',
  stalled: 'is stalled: it is not retried until it changes',
  suspended: 'is suspended',
}

const headline = (object: Reconciled, { state }: ObjectState, now: number): string => {
  const since = readyOf(object)?.lastTransitionTime
  const ago = since ? `, since ${humanDuration(now - Date.parse(since))} (${since})` : ''
  return `${describeRef(refOf(object))} ${descriptions[state]}${ago}`
}

const reasonOf = (object: Reconciled, { state, message }: ObjectState): string | undefined => {
  const ready = readyOf(object)
  if (state === 'failed' || state === 'stalled') return `${ready?.reason}: ${ready?.message ?? message}`
  return state === 'ready' ? ready?.message : message
}

const trueConditionOf = ({ status }: Reconciled, type: string): Condition | undefined =>
  status?.conditions?.find(condition => condition.type === type && condition.status === 'True')

/** Held deletions, if Ready reports something else. */
const guardedOf = (object: Reconciled): string | undefined =>
  readyOf(object)?.reason === 'PruneGuarded' ? undefined : trueConditionOf(object, 'PruneGuarded')?.message

const revisionOf = ({ status = {} }: Reconciled): string | undefined => {
  const { lastAppliedRevision: applied, lastAttemptedRevision: tried, artifact } = status
  if (applied && tried && applied !== tried) return `applied ${applied}, tried ${tried}`
  return applied ?? tried ?? artifact?.revision
}

/** The latest release that Helm has stored for a HelmRelease. */
const latestReleaseOf = ({ kind, status }: Reconciled): string | undefined => {
  const [latest] = kind === helmRelease.kind ? (status?.history ?? []) : []
  if (!latest) return undefined
  const { namespace, name, version, status: state, chartName, chartVersion } = latest
  return `${namespace}/${name}.v${version} with chart ${chartName}@${chartVersion} is ${state}`
}

/** The latest request to reconcile it, and who made it. */
const requestOf = ({ metadata: { annotations = {} } }: Reconciled): string | undefined => {
  const by = annotations[requestedByAnnotation]
  return by && `by ${by} (${annotations[requestedAtAnnotation]})`
}

/** Fields that kustomize ignores in the kustomization file. */
const ignoredOf = (object: Reconciled): string | undefined => trueConditionOf(object, fieldsIgnored)?.message

/** Dependencies that are not ready, each followed by its own, down to those that fail by themselves. */
const causesOf = async (object: Reconciled, read: Read, depth = 0): Promise<readonly string[]> => {
  if (depth > 10) return ['... (the objects wait for each other)']
  const found = await Promise.all(
    neededBy(object).map(async reference => {
      const kind = kindOf(reference)
      if (!kind) return []
      const namespace = reference.namespace || object.metadata.namespace || ''
      const ref = { group: kind.group, kind: kind.kind, namespace, name: reference.name ?? '' }
      const needed = await read(ref, kind)
      if (!needed) return [`${describeRef(ref)}, which does not exist`]
      const observed = objectStateOf(needed)
      if (observed.state === 'ready') return []
      const why = reasonOf(needed, observed) ?? observed.message
      return [
        `${describeRef(ref)}, which ${descriptions[observed.state]}: ${why}`,
        ...(await causesOf(needed, read, depth + 1)),
      ]
    }),
  )
  return found.flat()
}

const nextOf = (object: Reconciled, { state }: ObjectState): string => {
  const { kind, metadata, spec = {} } = object
  const command = (verb: string) => `flux ${verb} ${commandNameOf(kind)} ${metadata.name} -n ${metadata.namespace}`
  const { interval, retryInterval } = spec
  const waiting = trueConditionOf(object, waitingCondition)
  if (waiting && state !== 'suspended') return nextOfWaiting(object, waiting)
  switch (state) {
    case 'ready':
      return interval
        ? `reconciled every ${interval}; at once by: ${command('reconcile')}`
        : `at once by: ${command('reconcile')}`
    case 'suspended':
      return `nothing, until: ${command('resume')}`
    case 'stalled':
      return kind === helmRelease.kind
        ? `nothing, until its spec, its chart or its values change; once more by: ${command('reconcile')} --reset`
        : 'nothing, until its spec is changed'
    case 'progressing':
      return 'it continues by itself'
    case 'failed':
      if (readyOf(object)?.reason === 'PruneGuarded')
        return 'nothing that waits is deleted until the command above is run, or the objects are back in the build'
      if (readyOf(object)?.reason === 'DependencyNotReady')
        return `reconciled as soon as its dependency is ready; at once by: ${command('reconcile')}`
      return `retried ${retryInterval ? `every ${retryInterval}` : 'with growing delays'}; at once by: ${command('reconcile')}`
  }
}

const nextOfWaiting = ({ kind, metadata: { name, namespace } }: Reconciled, { reason }: Condition): string => {
  if (reason === 'ClusterSuspended') return 'nothing, until spec.suspend of the Cluster is false'
  const override = `kubectl annotate ${kind.toLowerCase()} ${name} -n ${namespace} ${overrideAnnotation}='TIME REASON'`
  const then =
    reason === 'InvalidWindows' ? 'nothing, until the annotation is corrected' : 'it continues by itself then'
  return `${then}; before that, with the right to override: ${override}`
}

/** As the flux CLI names kinds in its commands. */
const commandNameOf = (kind: string): string => sourceCommands[kind] ?? kind.toLowerCase()

const sourceCommands: Readonly<Record<string, string>> = {
  GitRepository: 'source git',
  OCIRepository: 'source oci',
  HelmRepository: 'source helm',
  HelmChart: 'source chart',
  Bucket: 'source bucket',
}

const eventsOf = async (cluster: ClusterClient, ref: ObjectRef, signal: AbortSignal): Promise<readonly Event[]> => {
  const query = { apiVersion: 'v1', kind: 'Event', namespace: ref.namespace }
  const { items } = await cluster.list(query, { signal })
  return (items as readonly Event[])
    .filter(({ involvedObject }) => involvedObject.kind === ref.kind && involvedObject.name === ref.name)
    .toSorted((a, b) => Date.parse(a.lastTimestamp ?? '') - Date.parse(b.lastTimestamp ?? ''))
}

const detail = (name: string, value: string | undefined): readonly string[] =>
  value ? [`  ${name.padEnd(11)}${value.trimEnd().replaceAll('\n', `\n${' '.repeat(13)}`)}`] : []
