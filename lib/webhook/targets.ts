import type { Hub } from '../hub/hub.ts'
import { requestedAtAnnotation } from '../kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../kinds/object.ts'
import { describeRef, groupOf, refOf } from '../kinds/object.ts'
import type { Receiver, ReceiverTarget } from '../kinds/receiver.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import { concernOf, isSource } from './concerns.ts'
import type { Push } from './push.ts'

interface TargetPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch'>
  readonly clock: Clock
  readonly random: Random
}

/** Writes to the hub at a time, for one request. */
const atOnce = 20

/** What a request sets off, and what stood in the way. */
export interface SetOff {
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
export const setOff = async (
  ports: TargetPorts,
  receiver: Receiver,
  { accepts, push }: Selection,
  noCrossNamespaceRefs: boolean,
): Promise<SetOff> => {
  const problems: string[] = []
  const found: KubernetesObject[] = []
  for (const [index, target] of receiver.spec.resources.entries()) {
    const namespace = target.namespace || receiver.metadata.namespace || ''
    try {
      if (noCrossNamespaceRefs && namespace !== receiver.metadata.namespace) {
        throw new Error('cross-namespace references are not allowed')
      }
      const objects = await targetsOf(ports.hub, target, namespace)
      found.push(...objects.filter(object => accepts(index, object)))
    } catch (error) {
      problems.push(`${target.kind}/${namespace}/${target.name}: ${(error as Error).message}`)
    }
  }
  const concerned = push ? narrowed(found, push) : found
  for (let from = 0; from < concerned.length; from += atOnce) {
    const asking = concerned.slice(from, from + atOnce).map(async object => {
      const ref = refOf(object)
      await requestReconciliation(ports, ref).catch(error => {
        problems.push(`${describeRef(ref)}: ${(error as Error).message}`)
      })
    })
    await Promise.all(asking)
  }
  return { asked: concerned.length, problems }
}

const narrowed = (objects: readonly KubernetesObject[], push: Push): readonly KubernetesObject[] => {
  const concerns = objects.map(object => concernOf(object, push))
  const isKnown = objects.some((object, i) => isSource(object) && concerns[i] !== 'other-repository')
  return isKnown ? objects.filter((_, i) => concerns[i] === 'same') : objects
}

const targetsOf = async (
  hub: TargetPorts['hub'],
  { apiVersion, kind, name, matchLabels }: ReceiverTarget,
  namespace: string,
): Promise<readonly KubernetesObject[]> => {
  const group = apiVersion ? groupOf(apiVersion) : groups[kind]
  if (group === undefined) throw new Error(`apiVersion must be specified for kind "${kind}"`)
  if (name !== '*') {
    const found = await hub.get<KubernetesObject>({ group, kind, namespace, name })
    if (!found) throw new Error('not found')
    return [found]
  }
  if (!matchLabels) throw new Error("matchLabels field not set when using wildcard '*' as name")
  const labelSelector = Object.entries(matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
  const objects: KubernetesObject[] = []
  let next: string | undefined
  do {
    const page = await hub.list<KubernetesObject>({ group, kind, namespace, labelSelector, limit: 500, continue: next })
    objects.push(...page.items)
    next = page.continue
  } while (next)
  return objects
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

/** Sets the annotation that has an object looked at. */
export const requestReconciliation = async (
  { hub, clock, random }: Pick<TargetPorts, 'clock' | 'random'> & { readonly hub: Pick<Hub, 'patch'> },
  ref: ObjectRef,
): Promise<void> => {
  const patch = { metadata: { annotations: { [requestedAtAnnotation]: newToken(clock.now(), random) } } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'notification-controller' })
}

/** A time in RFC 3339, with random digits beyond the milliseconds: two requests never look like one. */
const newToken = (now: number, random: Random): string => {
  const digits = String(Math.floor(random.fraction() * 1e6)).padStart(6, '0')
  return new Date(now).toISOString().replace('Z', `${digits}Z`)
}
