import { CelError } from '../../engines/cel/cel-error.ts'
import { maxOutcomes } from '../../foundations/kinds/delivery-mark.ts'
import { isPushTarget } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, groupOf, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Receiver, ReceiverTarget } from '../../foundations/kinds/receiver.ts'
import { requireNamespaceAllowed } from '../../hub/references/access-denied.ts'
import { everyNamespace, namespaceOf, type References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryPlace } from '../../platform/ports/deliveries.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Push } from './push.ts'
import { matchPush } from './push-match.ts'
import { announcedVersionFor, requestReconciliation } from './reconcile-request.ts'
import { pushedTags, requestTags } from './request-tags.ts'
import { listTargets, pushedSources, type SelectTargets } from './select-targets.ts'

interface TargetPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch' | 'referrers'>
  readonly references: References
  readonly clock: Clock
  readonly random: Random
}

/** Concurrent writes to the hub, per request. */
const atOnce = 20

/** The result of a request. */
export interface TriggeredTargets {
  /** The objects triggered, in order. */
  readonly triggered: readonly KubernetesObject[]
  readonly problems: readonly string[]
}

/** How a request restricts a Receiver's objects. */
export interface Selection {
  /** Whether an object passes the Receiver's filters; `index` is that of the target in `spec.resources`. */
  accepts(index: number, object: KubernetesObject): boolean
  /** The push, if the request describes one. */
  readonly push?: Push | undefined
  /** Who pushed, as the request says. */
  readonly sender?: string | undefined
  /** The record of the request, to which the first objects refer. */
  readonly delivery?: DeliveryPlace | undefined
}

/**
 * Triggers the objects of a Receiver. If a push matches the repository of some of its sources, only those that follow
 * the pushed branch or tag are triggered; if it matches none, the repository may have another name, and all are
 * triggered. An error for one object does not stop the others.
 */
export const triggerTargets = async (
  ports: TargetPorts,
  receiver: Receiver,
  { accepts, push, sender, delivery }: Selection,
  noCrossNamespaceRefs: boolean,
): Promise<TriggeredTargets> => {
  const { hub } = ports
  const choose = (select: SelectTargets) => selected(ports, receiver, { accepts, select, noCrossNamespaceRefs })
  const pushed = push && (await choose(target => pushedSources(hub, target, push)))
  const isKnown = pushed?.objects.some(object => isOfRepository(object, push!))
  const { objects, problems } = isKnown ? pushed! : await choose(target => listTargets(hub, target))
  const triggered = isKnown ? objects.filter(object => matchPush(object, push!) === 'same') : objects
  const user = requesterNamed(receiver, sender)
  for (let from = 0; from < triggered.length; from += atOnce) {
    const requests = triggered.slice(from, from + atOnce).map(async (object, at) => {
      const ref = refOf(object)
      const index = from + at
      const mark = delivery && index < maxOutcomes ? { ...delivery, index } : undefined
      const announced = isKnown ? announcedVersionFor(object, push!.contents) : undefined
      const tags = push && pushedTags(object, push)
      const request = tags
        ? requestTags(ports, tags.of, tags.pushed, { user, mark })
        : requestReconciliation(ports, ref, { user, announced, mark })
      await request.catch(error => {
        problems.push(`${describeRef(ref)}: ${(error as Error).message}`)
      })
    })
    await Promise.all(requests)
  }
  return { triggered, problems }
}

/** The sources of a Receiver that follow the pushed version, as far as its filters accept them; one that can't be read is left out. */
export const followersOf = async (
  ports: Pick<TargetPorts, 'references'> & { readonly hub: Pick<Hub, 'get' | 'list' | 'referrers'> },
  receiver: Receiver,
  { accepts, push }: Pick<Selection, 'accepts'> & { readonly push: Push },
  noCrossNamespaceRefs: boolean,
): Promise<readonly KubernetesObject[]> => {
  const select: SelectTargets = target => pushedSources(ports.hub, target, push)
  const { objects } = await selected(ports, receiver, { accepts, select, noCrossNamespaceRefs })
  return objects.filter(object => isPushTarget(object.kind) && matchPush(object, push) === 'same')
}

/** Who has requested what a Receiver triggers. */
export const requesterNamed = ({ metadata: { namespace, name } }: Receiver, sender: string | undefined): string =>
  `Receiver ${namespace}/${name}${sender ? ` for ${sender}` : ''}`

const isOfRepository = (object: KubernetesObject, push: Push): boolean =>
  isPushTarget(object.kind) && matchPush(object, push) !== 'other-repository'

interface TargetOptions {
  readonly accepts: Selection['accepts']
  readonly select: SelectTargets
  readonly noCrossNamespaceRefs: boolean
}

/** The Receiver's objects that pass its filters, and the errors of the others. */
const selected = async (
  { references }: Pick<TargetPorts, 'references'>,
  receiver: Receiver,
  { accepts, select, noCrossNamespaceRefs }: TargetOptions,
): Promise<{ readonly objects: readonly KubernetesObject[]; readonly problems: string[] }> => {
  const problems: string[] = []
  const objects = new Map<string, KubernetesObject>()
  for (const [index, target] of receiver.spec.resources.entries()) {
    const namespace = target.namespace || namespaceOf(receiver)
    try {
      requireNamespaceAllowed({ ...target, namespace }, namespaceOf(receiver), { noCrossNamespaceRefs })
      for (const object of await objectsOf(references, receiver, { ...target, namespace }, select))
        if (accepts(index, object)) objects.set(refKey(refOf(object)), object)
    } catch (error) {
      const reason = error instanceof CelError ? error.messageWithoutValues : (error as Error).message
      problems.push(`${target.kind}/${namespace}/${target.name}: ${reason}`)
    }
  }
  return { objects: [...objects.values()], problems }
}

const objectsOf = async (
  references: References,
  receiver: Receiver,
  { apiVersion, kind, namespace, name, matchLabels }: ReceiverTarget & { readonly namespace: string },
  select: SelectTargets,
): Promise<readonly KubernetesObject[]> => {
  const group = apiVersion ? groupOf(apiVersion) : groups[kind]
  if (group === undefined) throw new Error(`apiVersion must be specified for kind "${kind}"`)
  if (name === '*') {
    if (matchLabels) return select({ group, kind, namespace, matchLabels })
    throw new Error("matchLabels field not set when using wildcard '*' as name")
  }
  const found = await references.anywhere<KubernetesObject>(
    receiver,
    { group, kind },
    { namespace, name },
    everyNamespace,
  )
  if (!found) throw new Error('not found')
  return [found]
}

const source = 'source.toolkit.fluxcd.io'
const image = 'image.toolkit.fluxcd.io'

/** Groups of the kinds whose apiVersion is optional. */
const groups: Readonly<Record<string, string>> = {
  Bucket: source,
  GitRepository: source,
  HelmChart: source,
  HelmRepository: source,
  OCIRepository: source,
  ImageRepository: image,
  ArtifactGenerator: 'source.extensions.fluxcd.io',
}
