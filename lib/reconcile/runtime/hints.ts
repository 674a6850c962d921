import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { requestedAtOf } from '../../foundations/kinds/flux.ts'
import { operatorAnnotationsOf } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import { createAddressing, kindKey } from './addressing.ts'
import type { NewsPorts } from './news.ts'
import { enqueueDependents } from './news.ts'
import type { Addressed } from './reconciler.ts'

export interface HintPorts extends NewsPorts {
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
 * Turns changes in the hub into messages for the loop: for objects whose spec changed, that were deleted or have a reconcile request; for the
 * users of watched Secrets and ConfigMaps, and of any Secret for kinds that store its data; and for objects that depend on the changed one. A
 * hint may get lost: the object's due time makes up for it.
 */
export const createHints = (ports: HintPorts, reconcilers: readonly Addressed[]): Hints => {
  const { queue, log, isWatched = isMarked } = ports
  const { messageFor } = createAddressing(ports.hub, reconcilers)
  const secretFollowers = reconcilers.filter(({ followsSecrets }) => followsSecrets)
  const newsOf = new Map(reconcilers.flatMap(({ kind, isNews }) => (isNews ? [[kindKey(kind), isNews]] : [])))

  const send = async (ref: ObjectRef, before?: KubernetesObject, after?: KubernetesObject): Promise<void> => {
    const message = after && messageFor(after)
    if (message && reconcileTrigger(after) !== (before && reconcileTrigger(before))) await queue.send([message])
    const isWatchedChange =
      isConfiguration(ref) && [before, after].some(object => object && isWatched(labelsOf(object)))
    const isForeignNews = ref.kind === 'ExternalArtifact' && artifactOf(before) !== artifactOf(after)
    if (isWatchedChange || isForeignNews || newsOf.get(kindKey(ref))?.(before, after))
      await enqueueDependents(ports, reconcilers, ref)
    else if (ref.group === '' && ref.kind === 'Secret') await enqueueDependents(ports, secretFollowers, ref)
  }

  const underWay = new Set<Promise<void>>()
  const hint = (ref: ObjectRef, before?: KubernetesObject, after?: KubernetesObject): void => {
    const sending = send(ref, before, after)
      .catch(error => {
        log.error('a hint got lost', { kind: ref.kind, namespace: ref.namespace, name: ref.name, error })
      })
      .finally(() => underWay.delete(sending))
    underWay.add(sending)
  }
  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return Object.assign(hint, { settled })
}

/** The fields that trigger a reconcile when they change. Labels and status do not. */
const reconcileTrigger = (object: KubernetesObject): string => {
  const { uid, generation, deletionTimestamp } = object.metadata
  return [uid, generation, requestedAtOf(object), deletionTimestamp, ...operatorAnnotationsOf(object)].join('|')
}

/** No reconciler handles ExternalArtifacts: the client that creates one writes its status (KS-020). */
const artifactOf = (object: KubernetesObject | undefined): string => {
  const { artifact } = (object?.status ?? {}) as { readonly artifact?: Artifact }
  return `${artifact?.revision} ${artifact?.digest}`
}

const isConfiguration = ({ group, kind }: ObjectRef): boolean =>
  group === '' && (kind === 'Secret' || kind === 'ConfigMap')

const labelsOf = ({ metadata }: KubernetesObject) => metadata.labels ?? {}

/** Flux's contract: changes to objects with this label trigger their users at once (KS-205). */
const isMarked: WatchedConfigs = labels => labels['reconcile.fluxcd.io/watch'] === 'Enabled'
