import { type Approval, isApproval, subjectRef } from '../../foundations/kinds/approval.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { type Plan, plan as planKind, unitRefOf } from '../../foundations/kinds/plan.ts'
import { restrainingAnnotationsOf } from '../../foundations/kinds/window.ts'
import { accessOf } from '../../foundations/rules/target.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { requiresReconciliation } from '../../hub/store/record-index.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import { createAddressing, kindKey } from './addressing.ts'
import type { NewsPorts } from './news.ts'
import { enqueueDependents, enqueuePart } from './news.ts'
import type { Addressed } from './reconciler.ts'

export interface HintPorts extends NewsPorts {
  readonly hub: NewsPorts['hub'] & Pick<Hub, 'list'>
  readonly queue: Queue
  readonly log: Log
  /** Which Secrets and ConfigMaps trigger their users at once; by default those with Flux's watch label. */
  readonly isWatched?: WatchedConfigs
}

/** Decides by an object's labels. */
export type WatchedConfigs = (labels: Readonly<Record<string, string>>) => boolean

/** A change in the hub; `before` is absent for a created object, `after` for a deleted one. */
export type OnChange = (
  ref: ObjectRef,
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
) => void

export interface Hints extends OnChange {
  /** Resolves when all hints have reached the queue: a function must not end before that. */
  settled(): Promise<void>
}

/**
 * Turns changes in the hub into messages for the loop: for objects whose spec or annotations changed, as by a reconcile request, or that were
 * deleted; for the users of watched Secrets and ConfigMaps, and of any Secret for kinds that store its data; and for objects that depend on the
 * changed one. A hint may be lost: the object's due time compensates for that.
 */
export const createHints = (ports: HintPorts, reconcilers: readonly Addressed[]): Hints => {
  const { queue, log, isWatched = isMarked } = ports
  const { messageFor } = createAddressing(ports.hub, reconcilers)
  const secretFollowers = reconcilers.filter(({ followsSecrets }) => followsSecrets)
  const specFollowers = (kind: string) => reconcilers.filter(({ followsSpecsOf }) => followsSpecsOf?.includes(kind))
  const newsOf = new Map(reconcilers.flatMap(({ kind, isNews }) => (isNews ? [[kindKey(kind), isNews]] : [])))
  const affecting = new Map(reconcilers.flatMap(({ kind, affects }) => (affects ? [[kindKey(kind), affects]] : [])))

  const send = async (ref: ObjectRef, before?: KubernetesObject, after?: KubernetesObject): Promise<void> => {
    const message = after && messageFor(after)
    // What the store makes due at once, or the message comes with the next tick.
    if (message && requiresReconciliation(after, before)) await queue.send([message])
    const isWatchedChange =
      isConfiguration(ref) && [before, after].some(object => object && isWatched(labelsOf(object)))
    const isForeignNews = ref.kind === 'ExternalArtifact' && artifactOf(before) !== artifactOf(after)
    if (isWatchedChange || isForeignNews || newsOf.get(kindKey(ref))?.(before, after))
      await enqueueDependents(ports, reconcilers, ref)
    else if (before?.metadata.generation !== after?.metadata.generation)
      await enqueueDependents(ports, specFollowers(ref.kind), ref)
    else if (ref.group === '' && ref.kind === 'Secret') await enqueueDependents(ports, secretFollowers, ref)
    if (ref.group === '' && ref.kind === 'Namespace' && restraintsIn(before) !== restraintsIn(after))
      await enqueueUnitsIn(ref)
    const decision = [after, before].find(object => object && isApproval(object))
    if (decision) await enqueueDecided(decision as Approval)
    for (const target of affecting.get(kindKey(ref))?.(before, after) ?? []) {
      await enqueueDependents(ports, reconcilers, target)
      for (const namespace of await namespacesWith(target)) await enqueueUnitsIn(namespace)
    }
  }

  /** Enqueues what a decision is about: a unit, or the Rollout of a run. */
  const enqueueDecided = async (decision: Approval): Promise<void> => {
    const subject = subjectRef(decision)
    if (subject.kind === 'RolloutRun') return enqueueDependents(ports, reconcilers, subject)
    const plan = subject.kind === planKind.kind ? await ports.hub.get<Plan>(subject) : undefined
    const decided = plan ? unitRefOf(plan) : subject
    await enqueuePart(ports, reconcilers, refOf(decision), [decided])
  }

  /** The Namespaces whose objects use this access to a cluster. */
  const namespacesWith = async (access: ObjectRef): Promise<readonly ObjectRef[]> => {
    const { items } = await ports.hub.list<KubernetesObject>({ group: '', kind: 'Namespace' })
    return items.map(refOf).filter((_, at) => isAccess(items[at]!, access))
  }

  /** The windows of a Namespace restrain the units in it, which don't refer to it. */
  const enqueueUnitsIn = async (namespace: ObjectRef): Promise<void> => {
    for (const { kind, reactsTo } of reconcilers) {
      if (!reactsTo?.includes(namespace.kind)) continue
      const { items } = await ports.hub.list<KubernetesObject>({ ...kind, namespace: namespace.name })
      await enqueuePart(ports, reconcilers, namespace, items.map(refOf))
    }
  }

  const underWay = new Set<Promise<void>>()
  const hint = (ref: ObjectRef, before?: KubernetesObject, after?: KubernetesObject): void => {
    const sending = send(ref, before, after)
      .catch(error => {
        log.error('failed to send a hint', { kind: ref.kind, namespace: ref.namespace, name: ref.name, error })
      })
      .finally(() => underWay.delete(sending))
    underWay.add(sending)
  }
  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return Object.assign(hint, { settled })
}

/** No reconciler handles ExternalArtifacts: the client that creates one writes its status (KS-020). */
const artifactOf = (object: KubernetesObject | undefined): string => {
  const { artifact } = (object?.status ?? {}) as { readonly artifact?: Artifact }
  return `${artifact?.revision} ${artifact?.digest}`
}

const isAccess = (namespace: KubernetesObject, { kind, name, namespace: place }: ObjectRef): boolean => {
  const target = accessOf({ ...namespace, metadata: { name: '', namespace: namespace.metadata.name } }, namespace)
  return target?.kind === kind && target.name === name && target.namespace === place
}

const restraintsIn = (object: KubernetesObject | undefined): string =>
  object ? restrainingAnnotationsOf(object).join('|') : ''

const isConfiguration = ({ group, kind }: ObjectRef): boolean =>
  group === '' && (kind === 'Secret' || kind === 'ConfigMap')

const labelsOf = ({ metadata }: KubernetesObject) => metadata.labels ?? {}

/** Flux's contract: changes to objects with this label trigger their users at once (KS-205). */
const isMarked: WatchedConfigs = labels => labels['reconcile.fluxcd.io/watch'] === 'Enabled'
