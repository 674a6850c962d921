import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { requestedAtOf } from '../../foundations/kinds/flux.ts'
import { steeringAnnotationsOf } from '../../foundations/kinds/flux-operator.ts'
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
  /** Which Secrets and ConfigMaps run their users at once; by default those that Flux's label marks. */
  readonly isWatched?: WatchedConfigs
}

/** Told by an object's labels. */
export type WatchedConfigs = (labels: Readonly<Record<string, string>>) => boolean

/** A change in the hub; `before` is absent for a new object, `after` for one that is gone. */
export type OnChange = (
  ref: ObjectRef,
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
) => void

export interface Hints extends OnChange {
  /** Resolves when no hint is on its way to the queue: a function must not end before. */
  settled(): Promise<void>
}

/**
 * Turns changes in the hub into messages for the loop: objects whose spec changed, that were asked to reconcile or
 * deleted; the users of Secrets and ConfigMaps that are labelled to be watched; and those who wait for other news. A hint
 * may get lost: due times are the net.
 */
export const createHints = (ports: HintPorts, reconcilers: readonly Addressed[]): Hints => {
  const { queue, log, isWatched = isMarked } = ports
  const { messageFor } = createAddressing(ports.hub, reconcilers)
  const newsOf = new Map(reconcilers.flatMap(({ kind, isNews }) => (isNews ? [[kindKey(kind), isNews]] : [])))

  const send = async (ref: ObjectRef, before?: KubernetesObject, after?: KubernetesObject): Promise<void> => {
    const message = after && messageFor(after)
    if (message && reconcileTrigger(after) !== (before && reconcileTrigger(before))) await queue.send([message])
    const isWatchedChange =
      isConfiguration(ref) && [before, after].some(object => object && isWatched(labelsOf(object)))
    const isForeignNews = ref.kind === 'ExternalArtifact' && artifactOf(before) !== artifactOf(after)
    if (isWatchedChange || isForeignNews || newsOf.get(kindKey(ref))?.(before, after))
      await enqueueDependents(ports, reconcilers, ref)
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

/** What an object asks of its reconciler: another value means another pass. Labels and status don't count. */
const reconcileTrigger = (object: KubernetesObject): string => {
  const { uid, generation, deletionTimestamp } = object.metadata
  return [uid, generation, requestedAtOf(object), deletionTimestamp, ...steeringAnnotationsOf(object)].join('|')
}

/** Nobody here reconciles an ExternalArtifact: whoever stores one writes it into its status (KS-020). */
const artifactOf = (object: KubernetesObject | undefined): string => {
  const { artifact } = (object?.status ?? {}) as { readonly artifact?: Artifact }
  return `${artifact?.revision} ${artifact?.digest}`
}

const isConfiguration = ({ group, kind }: ObjectRef): boolean =>
  group === '' && (kind === 'Secret' || kind === 'ConfigMap')

const labelsOf = ({ metadata }: KubernetesObject) => metadata.labels ?? {}

/** Flux's contract: changes of what has this label run its users at once (KS-205). */
const isMarked: WatchedConfigs = labels => labels['reconcile.fluxcd.io/watch'] === 'Enabled'
