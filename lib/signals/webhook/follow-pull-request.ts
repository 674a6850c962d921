import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import {
  type BaseSource,
  pullRequest as kind,
  type PullRequest,
  planForksAnnotation,
  planPullRequestsAnnotation,
} from '../../foundations/kinds/pull-request.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import { isForkAllowed, type PullRequestEvent } from './pull-request-event.ts'
import { followersOf, type Selection } from './targets.ts'

export interface FollowPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'create' | 'patch' | 'referrers'>
  readonly references: References
}

export interface FollowOptions extends Pick<Selection, 'accepts'> {
  /** On whose behalf the object is written. */
  readonly user: string
  readonly noCrossNamespaceRefs: boolean
}

/** The pull requests of a Receiver that are planned at a time. */
const maxOpen = 100

/** The Provider that comments on the pull requests of a Receiver; undefined if they are not planned. */
export const commentProviderOf = ({ metadata }: Receiver): string | undefined =>
  metadata.annotations?.[planPullRequestsAnnotation]?.trim() || undefined

/** What became of an event: the object of the pull request, or why there is none. */
export interface Followed {
  readonly object?: KubernetesObject | undefined
  readonly text: string
}

/** Stores what an event says of a pull request, for its reconciler: the newest head is all that is kept. `accepts` are the filters of the Receiver. */
export const followPullRequest = async (
  ports: FollowPorts,
  receiver: Receiver,
  event: PullRequestEvent,
  { accepts, user, noCrossNamespaceRefs }: FollowOptions,
): Promise<Followed> => {
  const { hub } = ports
  const provider = commentProviderOf(receiver)!
  const namespace = namespaceOf(receiver)
  const ref = { group: fleetGroup, kind: kind.kind, namespace, name: `${receiver.metadata.name}-${event.number}` }
  const what = `pull request ${event.number}`
  const options = { fieldManager: 'notification-controller', user }
  const known = await hub.get<PullRequest>(ref)
  if (!event.isOpen) {
    if (!known) return { text: `ok: ${what} is closed, and was not planned` }
    const object = await hub.patch(ref, { type: 'merge', patch: { spec: { state: 'Closed' } } }, options)
    return { object, text: `ok: ${what} is closed` }
  }
  if (event.fork !== undefined && !isForkAllowed(event.fork, receiver.metadata.annotations?.[planForksAnnotation]))
    return { text: `ok: ${what} is of a fork that ${planForksAnnotation} does not list, and is not planned` }
  const push = { repositories: event.repositories, versions: [`refs/heads/${event.base}`], contents: new Map() }
  const followers = await followersOf(ports, receiver, { accepts, push }, noCrossNamespaceRefs)
  const sources = sourcesOf(followers, receiver, event.number)
  if (sources.length === 0)
    return { text: `ok: ${what} is to be merged into a branch that no GitRepository of the receiver follows` }
  if (!known) {
    const { items } = await hub.list<PullRequest>({ group: fleetGroup, kind: kind.kind, namespace })
    const open = items.filter(({ spec }) => spec.receiver === receiver.metadata.name).length
    if (open >= maxOpen) return { text: `ok: ${what} is not planned, as ${open} others are open` }
  }
  const spec: PullRequest['spec'] = {
    ...{ receiver: receiver.metadata.name, provider, number: event.number, ref: event.ref, commit: event.commit },
    ...{ base: event.base, author: event.author.replaceAll(/\p{C}/gu, '').slice(0, 100), state: 'Open', sources },
    ...(event.fork !== undefined && { fork: event.fork.replaceAll(/\p{C}/gu, '').slice(0, 200) }),
  }
  const update = () => hub.patch<PullRequest>(ref, { type: 'merge', patch: { spec } }, options)
  const object = known
    ? await update()
    : await hub.create(newObject(receiver, spec), options).catch(orIfPresent(update))
  return { object, text: `ok: ${what} is planned at ${event.commit.slice(0, 12)}` }
}

/** Another event of the same pull request may have come first. */
const orIfPresent =
  (update: () => Promise<PullRequest>) =>
  (error: unknown): Promise<PullRequest> => {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return update()
    throw error
  }

const newObject = (receiver: Receiver, spec: PullRequest['spec']): PullRequest => ({
  apiVersion: `${fleetGroup}/v1alpha1`,
  kind: kind.kind,
  metadata: {
    name: `${receiver.metadata.name}-${spec.number}`,
    namespace: namespaceOf(receiver),
    ownerReferences: [
      {
        apiVersion: receiver.apiVersion,
        kind: receiver.kind,
        name: receiver.metadata.name,
        uid: receiver.metadata.uid ?? '',
      },
    ],
  },
  spec,
})

/** Names of the GitRepositories that follow the base. Only those in the Receiver's namespace count: who may write a Receiver there may also read them. */
const sourcesOf = (followers: readonly KubernetesObject[], receiver: Receiver, number: string): BaseSource[] =>
  followers
    .filter(({ kind, metadata }) => kind === 'GitRepository' && metadata.namespace === namespaceOf(receiver))
    .map(({ metadata }) => metadata.name)
    .sort()
    .slice(0, 32)
    .map(name => ({ name, head: { name: `${name}-pr-${number}` } }))
