/** Where a unit takes its content from and what it makes, as a graph that fits on a page. Pure. */
import { podId } from '../../foundations/fleet/failing-pods.ts'
import { objectName } from '../../foundations/fleet/fleet-clusters.ts'
import type { LiveObject, LivePod, LiveState, LiveTree } from '../../foundations/fleet/live.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { counted } from './phrases.ts'
import { objectHref } from './route.ts'
import { type Shown, shown, shownStateOf } from './shown-state.ts'

export interface GraphNode {
  readonly id: string
  readonly title: string
  /** What it is, and its state in words. */
  readonly text: string
  readonly state: Shown
  readonly href: string
}

export interface UnitGraph {
  readonly nodes: readonly GraphNode[]
  /** From a node to what comes of it. */
  readonly edges: readonly (readonly [from: string, to: string])[]
}

/** Objects that stand alone: the rest is one node. */
const maxObjects = 8
const maxPodGroups = 12

const live: Readonly<Record<LiveState, Shown>> = {
  ready: shown('ready'),
  progressing: shown('progressing'),
  failed: shown('failing'),
  missing: shown('failing', 'Missing'),
  unknown: shown('suspended', 'Unknown'),
}

/** The state of an object on a cluster, as its health is. */
export const shownLive = (state: LiveState): Shown => live[state]

/** The order in which states need attention. */
const urgency: readonly LiveState[] = ['failed', 'missing', 'progressing', 'unknown', 'ready']
const byUrgency = (a: LiveState, b: LiveState): number => urgency.indexOf(a) - urgency.indexOf(b)

/** The nodes from what a unit needs to its objects and pods, with their edges; without `tree` it ends at the unit and what it applied. */
export const unitGraph = (
  unit: KubernetesObject,
  needed: readonly KubernetesObject[],
  tree: LiveTree | undefined,
): UnitGraph => {
  const name = objectName(unit)
  const { objects = [], pods = [], more = 0 } = tree ?? {}
  const withPods = new Set(pods.map(({ owner }) => owner))
  const ordered = objects.toSorted(
    (a, b) => byUrgency(a.state, b.state) || Number(withPods.has(b.id)) - Number(withPods.has(a.id)),
  )
  const alone = ordered.filter(({ id, state }) => state !== 'ready' || withPods.has(id)).slice(0, maxObjects)
  const rest = ordered.filter(object => !alone.includes(object))
  const groups = podGroups(pods, new Set(alone.map(({ id }) => id))).slice(0, maxPodGroups)
  return {
    nodes: [
      ...needed.map(nodeOf),
      nodeOf(unit),
      ...alone.map(object => liveNode(unit, object)),
      ...(rest.length + more > 0 ? [restNode(unit, rest, more)] : []),
      ...groups.map(group => podNode(unit, group)),
    ],
    edges: [
      ...needed.map(source => [objectName(source), name] as const),
      ...alone.map(({ id }) => [name, id] as const),
      ...(rest.length + more > 0 ? [[name, restId] as const] : []),
      ...groups.map(({ id, owner }) => [owner, id] as const),
    ],
  }
}

const nodeOf = (object: KubernetesObject): GraphNode => {
  const { kind, metadata } = object
  const { name, namespace } = metadata
  const state = shownStateOf(object)
  return {
    ...{ id: objectName(object), title: name, text: `${kind}, ${state.word.toLowerCase()}`, state },
    href: objectHref({ kind, namespace, name }),
  }
}

const objectsHref = (unit: KubernetesObject): string =>
  objectHref({ kind: unit.kind, namespace: unit.metadata.namespace, name: unit.metadata.name }, 'objects')

/** The page of one object on the cluster. */
export const liveHref = (unit: KubernetesObject, object: string, view?: string): string =>
  withQuery(objectsHref(unit), { object, view })

const liveNode = (unit: KubernetesObject, { id, kind, name, state }: LiveObject): GraphNode => ({
  ...{ id, title: name, text: `${kind}, ${shownLive(state).word.toLowerCase()}`, state: shownLive(state) },
  href: liveHref(unit, id),
})

const restId = 'others'

const restNode = (unit: KubernetesObject, rest: readonly LiveObject[], more: number): GraphNode => {
  const worst = rest[0]?.state ?? 'unknown'
  const text = worst === 'ready' && more === 0 ? 'all ready' : shownLive(worst).word.toLowerCase()
  return {
    ...{ id: restId, title: counted(rest.length + more, 'object'), text, state: shownLive(worst) },
    href: objectsHref(unit),
  }
}

interface PodGroup {
  readonly id: string
  readonly owner: string
  readonly pods: readonly LivePod[]
}

/** Pods of one object that run the same images and are in the same state. */
const podGroups = (pods: readonly LivePod[], owners: ReadonlySet<string>): readonly PodGroup[] => {
  const groups = Map.groupBy(
    pods.filter(({ owner }) => owners.has(owner)),
    ({ owner, images, state }) => `${owner} ${images.join(' ')} ${state}`,
  )
  return Array.from(groups, ([id, members]) => ({ id, owner: members[0]!.owner, pods: members })).toSorted((a, b) =>
    byUrgency(a.pods[0]!.state, b.pods[0]!.state),
  )
}

const podNode = (unit: KubernetesObject, { id, pods }: PodGroup): GraphNode => {
  const [first] = pods as [LivePod]
  const versions = first.images.map(image => /[:@]([^:@/]+)$/.exec(image)?.[1] ?? image).join(', ')
  return {
    ...{ id, title: `${counted(pods.length, 'pod')}, ${versions}`, text: first.message },
    state: shownLive(first.state),
    href: liveHref(unit, podId(first), 'log'),
  }
}
