import { CelError } from '../../engines/cel/cel-error.ts'
import { type AnnouncedVersion, announcedAnnotation, contentIdOf } from '../../foundations/kinds/announced-version.ts'
import { requestedAtAnnotation } from '../../foundations/kinds/flux.ts'
import { followedBy, isPushTarget } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { describeRef, groupOf, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Receiver, ReceiverTarget } from '../../foundations/kinds/receiver.ts'
import { requireNamespaceAllowed } from '../../hub/references/access-denied.ts'
import { everyNamespace, namespaceOf, type References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Push } from './push.ts'
import { matchPush } from './push-match.ts'
import { listTargets, pushedSources, type SelectTargets } from './select-targets.ts'

interface TargetPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch' | 'referrers'>
  readonly references: References
  readonly clock: Clock
  readonly random: Random
}

/** Writes to the hub at a time, for one request. */
const atOnce = 20

/** What a request sets off, and what stood in the way. */
export interface TriggeredTargets {
  /** How many objects were asked to reconcile. */
  readonly asked: number
  readonly problems: readonly string[]
}

/** What a request tells about which of a Receiver's objects it concerns. */
export interface Selection {
  /** By the place of the target in `spec.resources`: whether an object passes the Receiver's filters. */
  accepts(index: number, object: KubernetesObject): boolean
  /** What was pushed, if the request says so. */
  readonly push?: Push
}

/**
 * Asks the objects that a Receiver names to reconcile. Where a push names the repository of some of its sources, only those
 * that follow the pushed branch or tag are asked; a push that fits none of them may have come by another name of the
 * repository, and asks all. What goes wrong with one does not keep the others.
 */
export const triggerTargets = async (
  ports: TargetPorts,
  receiver: Receiver,
  { accepts, push }: Selection,
  noCrossNamespaceRefs: boolean,
): Promise<TriggeredTargets> => {
  const { hub } = ports
  const { namespace, name } = receiver.metadata
  const choose = (select: SelectTargets) => selected(ports, receiver, { accepts, select, noCrossNamespaceRefs })
  const pushed = push && (await choose(target => pushedSources(hub, target, push)))
  const isKnown = pushed?.objects.some(object => isOfRepository(object, push!))
  const { objects, problems } = isKnown ? pushed! : await choose(target => listTargets(hub, target))
  const concerned = isKnown ? objects.filter(object => matchPush(object, push!) === 'same') : objects
  for (let from = 0; from < concerned.length; from += atOnce) {
    const asking = concerned.slice(from, from + atOnce).map(async object => {
      const ref = refOf(object)
      const announced = isKnown ? announcedTo(object, push!.contents) : undefined
      await requestReconciliation(ports, ref, { user: `Receiver ${namespace}/${name}`, announced }).catch(error => {
        problems.push(`${describeRef(ref)}: ${(error as Error).message}`)
      })
    })
    await Promise.all(asking)
  }
  return { asked: concerned.length, problems }
}

const isOfRepository = (object: KubernetesObject, push: Push): boolean =>
  isPushTarget(object.kind) && matchPush(object, push) !== 'other-repository'

interface TargetOptions {
  readonly accepts: Selection['accepts']
  readonly select: SelectTargets
  readonly noCrossNamespaceRefs: boolean
}

/** The Receiver's objects that pass its filters, and what is wrong with the others. */
const selected = async (
  { references }: TargetPorts,
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
      const why = error instanceof CelError ? error.messageWithoutValues : (error as Error).message
      problems.push(`${target.kind}/${namespace}/${target.name}: ${why}`)
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

/** Groups of the kinds whose apiVersion may be left out. */
const groups: Readonly<Record<string, string>> = {
  Bucket: source,
  GitRepository: source,
  HelmChart: source,
  HelmRepository: source,
  OCIRepository: source,
  ImageRepository: image,
  ArtifactGenerator: 'source.extensions.fluxcd.io',
}

/** What an event says that the version stands for which a source follows, beside what the source holds now. */
export const announcedTo = (source: KubernetesObject, contents: ReadonlyMap<string, string>): Announced | undefined => {
  const version = followedBy(source)?.version
  const to = version && contents.get(version)
  if (!to) return undefined
  const { artifact } = (source.status ?? {}) as { readonly artifact?: { readonly revision?: string } }
  return { version, to, from: contentIdOf(artifact?.revision) }
}

type Announced = Omit<AnnouncedVersion, 'at'>

/** Sets the annotation that has an object looked at; `user` says who asks, `announced` what an event told. */
export const requestReconciliation = async (
  { hub, clock, random }: Pick<TargetPorts, 'clock' | 'random'> & { readonly hub: Pick<Hub, 'patch'> },
  ref: ObjectRef,
  { user, announced }: { readonly user: string; readonly announced?: Announced | undefined },
): Promise<void> => {
  const annotations = {
    [requestedAtAnnotation]: newToken(clock.now(), random),
    ...(announced && { [announcedAnnotation]: JSON.stringify({ ...announced, at: clock.now() }) }),
  }
  const patch = { metadata: { annotations } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'notification-controller', user })
}

/** A time in RFC 3339, with random digits beyond the milliseconds: two requests never look like one. */
const newToken = (now: number, random: Random): string => {
  const digits = String(Math.floor(random.fraction() * 1e6)).padStart(6, '0')
  return new Date(now).toISOString().replace('Z', `${digits}Z`)
}
