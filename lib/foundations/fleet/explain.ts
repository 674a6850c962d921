/** The state of one object for people: since when, why, and what happens next. `keelson why`, and the top of its page in the console. Pure. */
import { fieldsIgnored } from '../kinds/applied.ts'
import { requestedAtAnnotation, requestedByAnnotation } from '../kinds/flux.ts'
import { helmRelease } from '../kinds/helm-release.ts'
import type { HelmReleaseStatus } from '../kinds/helm-release-status.ts'
import { humanDuration } from '../kinds/human-duration.ts'
import type { Kind } from '../kinds/kind.ts'
import { type Condition, describeRef, type KubernetesObject, type ObjectRef, refOf } from '../kinds/object.ts'
import { undone } from '../kinds/undo.ts'
import { overrideAnnotation, waitingCondition, windowOverridden } from '../kinds/window.ts'
import { pinOf } from '../rules/pin.ts'
import { clusterDetails } from './cluster-details.ts'
import { imageDetails } from './image-details.ts'
import { kindOf, type Needs, neededBy } from './needed-by.ts'
import { type ObjectState, objectStateOf, undoneMessage } from './object-state.ts'
import { rolloutDetails } from './rollout-details.ts'

/** What is known about an object, by name: `reason`, `because of`, `next`... */
export interface Explanation {
  /** Whether nothing is to be done: it is ready, or suspended. */
  readonly isReady: boolean
  /** One sentence: which object, its state, since when. */
  readonly headline: string
  readonly details: readonly ExplanationDetail[]
}

/** `command` is what to run about it, after the words that lead to it: for those who have a terminal, not buttons. */
export type ExplanationDetail = readonly [name: string, text: string, command?: string]

export interface ExplanationOptions {
  /** Where it applies to, for people; absent for the hub itself. */
  readonly target?: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Reads what the object depends on. */
  readonly read: (ref: ObjectRef, kind: Kind) => Promise<KubernetesObject | undefined>
}

/** Kinds that write to a cluster. */
const appliers = new Set(['Kustomization', 'ResourceSet', 'HelmRelease'])

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

/** Explains an object that is not being deleted. */
export const explain = async (
  given: KubernetesObject,
  { target, now, read }: ExplanationOptions,
): Promise<Explanation> => {
  const object = given as Reconciled
  const observed = objectStateOf(object)
  const isAtRest =
    observed.state === 'ready' && trueConditionOf(object, waitingCondition)?.reason !== 'DependencyNotReady'
  const causes = isAtRest ? [] : await causesOf(object, read)
  return {
    isReady: observed.state === 'ready' || observed.state === 'suspended',
    headline: headline(object, observed, now),
    details: [
      ...detail('cluster', target ?? (appliers.has(object.kind) ? 'the hub itself' : undefined)),
      ...detail('reason', reasonOf(object, observed)),
      ...clusterDetails(object, now),
      ...imageDetails(object, now),
      ...detail('guarded', guardedOf(object)),
      ...detail('waits', trueConditionOf(object, waitingCondition)?.message),
      ...(appliers.has(object.kind) ? await rolloutDetails(object, read) : []),
      ...detail('undone', undoneOf(object)),
      ...detail('override', trueConditionOf(object, windowOverridden)?.message),
      ...detail('revision', revisionOf(object)),
      ...detail('release', latestReleaseOf(object)),
      ...detail('ignored', ignoredOf(object)),
      ...detail('requested', requestOf(object)),
      ...causes.flatMap(cause => detail('because of', cause)),
      ['next', ...nextOf(object, observed)],
    ],
  }
}

const detail = (name: string, text: string | undefined): readonly ExplanationDetail[] => (text ? [[name, text]] : [])

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

/** Unless the reason says it. */
const undoneOf = (object: Reconciled): string | undefined =>
  readyOf(object)?.reason === undone ? undefined : undoneMessage(object)

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
const causesOf = async (
  object: Reconciled,
  read: ExplanationOptions['read'],
  depth = 0,
): Promise<readonly string[]> => {
  if (depth > 10) return ['... (the objects wait for each other)']
  const found = await Promise.all(
    neededBy(object).map(async reference => {
      const kind = kindOf(reference)
      if (!kind) return []
      const namespace = reference.namespace || object.metadata.namespace || ''
      const ref = { group: kind.group, kind: kind.kind, namespace, name: reference.name ?? '' }
      const needed = (await read(ref, kind)) as Reconciled | undefined
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

type Next = readonly [text: string, command?: string]

const nextOf = (object: Reconciled, { state }: ObjectState): Next => {
  const { kind, spec = {} } = object
  const { interval, retryInterval } = spec
  const atOnce = `at once by: ${reconcileCommand(object)}`
  const waiting = trueConditionOf(object, waitingCondition)
  if (waiting && state !== 'suspended') return nextOfWaiting(object, waiting)
  switch (state) {
    case 'ready':
      return [interval ? `reconciled every ${interval}` : 'reconciled when something changes', atOnce]
    case 'suspended':
      return ['nothing, until it is resumed', `to resume: ${resumeCommand(object)}`]
    case 'stalled':
      return kind === helmRelease.kind
        ? [
            'nothing, until its spec, its chart or its values change',
            `once more by: ${reconcileCommand(object)} --reset`,
          ]
        : ['nothing, until its spec is changed']
    case 'progressing':
      return ['it continues by itself']
    case 'failed':
      if (readyOf(object)?.reason === undone) return ['drift is corrected, until another revision or spec is applied']
      if (readyOf(object)?.reason === 'PruneGuarded')
        return ['nothing that waits is deleted until the command above is run, or the objects are back in the build']
      if (readyOf(object)?.reason === 'DependencyNotReady')
        return ['reconciled as soon as its dependency is ready', atOnce]
      return [`retried ${retryInterval ? `every ${retryInterval}` : 'with growing delays'}`, atOnce]
  }
}

const nextOfWaiting = (object: Reconciled, { reason }: Condition): Next => {
  if (reason === 'ApprovalRequired') return ['nothing of the change is applied until its plan is approved']
  if (reason === 'PlanRejected') return ['nothing of the change is applied; the next one gets a plan of its own']
  if (reason === 'WaitsForRollout')
    return [`its ${pinOf(object) ? 'next' : 'first'} revision is applied when its stage starts`]
  if (reason === 'DependencyNotReady') return ['it continues as soon as its dependencies are ready']
  if (reason === 'ClusterSuspended') return ['nothing, until spec.suspend of the Cluster is false']
  return [
    reason === 'InvalidWindows' || reason === 'InvalidDependencies'
      ? 'nothing, until the annotation is corrected'
      : 'it continues by itself then',
    `before that, with the right to override: ${annotateCommand(object, `${overrideAnnotation}='TIME REASON'`)}`,
  ]
}

const namespaceFlag = ({ metadata: { namespace } }: Reconciled): string => (namespace ? ` -n ${namespace}` : '')

const annotateCommand = (object: Reconciled, annotation: string): string =>
  `kubectl annotate --overwrite ${object.kind.toLowerCase()} ${object.metadata.name}${namespaceFlag(object)} ${annotation}`

const reconcileCommand = (object: Reconciled): string => {
  const known = fluxNames[object.kind]
  return known
    ? `flux reconcile ${known} ${object.metadata.name}${namespaceFlag(object)}`
    : annotateCommand(object, `${requestedAtAnnotation}="$(date +%s)"`)
}

const resumeCommand = (object: Reconciled): string => {
  const known = fluxNames[object.kind]
  return known
    ? `flux resume ${known} ${object.metadata.name}${namespaceFlag(object)}`
    : `keelson resume ${object.kind.toLowerCase()}/${object.metadata.name}${namespaceFlag(object)}`
}

/** As the flux CLI names the kinds that it reconciles and resumes. */
const fluxNames: Readonly<Record<string, string>> = {
  Kustomization: 'kustomization',
  HelmRelease: 'helmrelease',
  Receiver: 'receiver',
  GitRepository: 'source git',
  OCIRepository: 'source oci',
  HelmRepository: 'source helm',
  HelmChart: 'source chart',
  Bucket: 'source bucket',
  ImageRepository: 'image repository',
  ImagePolicy: 'image policy',
  ImageUpdateAutomation: 'image update',
}
