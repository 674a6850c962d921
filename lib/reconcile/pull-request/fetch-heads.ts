import { contentIdOf } from '../../foundations/kinds/announced-version.ts'
import { type Artifact, artifactOf } from '../../foundations/kinds/artifact.ts'
import { requestedAtAnnotation } from '../../foundations/kinds/flux.ts'
import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { gitRepository } from '../../foundations/kinds/git-repository.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { type BaseSource, type PullRequest, pullRequestLabel } from '../../foundations/kinds/pull-request.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'

export interface FetchPorts {
  readonly hub: Pick<Hub, 'create' | 'update' | 'delete'>
  readonly references: Pick<References, 'local'>
}

/** A source of the base, and the head as that source fetches it. */
export interface FetchedHead {
  readonly source: GitRepository
  /** Absent if it can't be fetched: `reason` says why. */
  readonly artifact?: Artifact | undefined
  readonly reason?: string | undefined
  readonly message?: string | undefined
}

/** How often a head is fetched again that is not the one which the forge has reported: its reference may follow later than its event. */
const maxTries = 5

/**
 * The head, from each source of the base: by a GitRepository like it but for the reference, so that the same credentials, verification, ignore rules,
 * sparse checkouts and submodules count. Undefined while one is being fetched. A source that was deleted is left out.
 */
export const fetchHeads = async (
  request: PullRequest,
  ports: FetchPorts,
): Promise<readonly FetchedHead[] | undefined> => {
  const heads = await Promise.all(request.spec.sources.map(base => fetchHead(request, base, ports)))
  return heads.includes('pending') ? undefined : heads.filter(head => head !== undefined && head !== 'pending')
}

const fetchHead = async (
  request: PullRequest,
  base: BaseSource,
  { hub, references }: FetchPorts,
): Promise<FetchedHead | 'pending' | undefined> => {
  const { spec } = request
  const [source, found] = await Promise.all([
    references.local<GitRepository>(request, gitRepository, base.name),
    references.local<GitRepository>(request, gitRepository, base.head.name),
  ])
  if (!source) return undefined
  const wanted = specOf(source, request)
  if (!found) {
    await hub.create(headOf(source, base, request), options).catch(ignoring('AlreadyExists'))
    return 'pending'
  }
  if (found.metadata.labels?.[pullRequestLabel] !== request.metadata.uid) {
    const message = `GitRepository ${found.metadata.name} exists, and is not that of ${request.metadata.name}`
    return { source, reason: 'NameConflict', message }
  }
  const { metadata, status } = found
  const requested = metadata.annotations?.[requestedAtAnnotation] ?? ''
  const [commit, tries] = requested.split('.')
  const fetchAgain = async (requestedAt: string): Promise<'pending'> => {
    const annotations = { ...metadata.annotations, [requestedAtAnnotation]: requestedAt }
    const changed = { ...found, metadata: { ...metadata, annotations }, spec: wanted }
    await hub.update(changed, options).catch(ignoring('Conflict'))
    return 'pending'
  }
  if (commit !== spec.commit || !isSameJson(found.spec, wanted)) return fetchAgain(`${spec.commit}.0`)
  if (status?.lastHandledReconcileAt !== requested) return 'pending'
  const ready = conditionOf(status.conditions, 'Ready')
  const artifact = artifactOf(found)
  if (ready?.status !== 'True' || !artifact)
    return { source, reason: ready?.reason ?? 'NotReady', message: ready?.message ?? '' }
  if (!contentIdOf(artifact.revision).startsWith(spec.commit) && Number(tries) < maxTries)
    return fetchAgain(`${spec.commit}.${Number(tries) + 1}`)
  return { source, artifact }
}

const options = { fieldManager: 'keelson' }

/** New heads come by events: the interval only finds an artifact that was lost. */
const interval = '24h'

const specOf = ({ spec }: GitRepository, request: PullRequest): GitRepository['spec'] => ({
  ...spec,
  interval,
  suspend: false,
  ref: { name: request.spec.ref },
})

const headOf = (source: GitRepository, { head }: BaseSource, request: PullRequest): GitRepository => {
  const { apiVersion, kind, metadata, spec } = request
  return {
    apiVersion: source.apiVersion,
    kind: source.kind,
    metadata: {
      name: head.name,
      namespace: metadata.namespace ?? '',
      labels: { [pullRequestLabel]: metadata.uid ?? '' },
      annotations: { [requestedAtAnnotation]: `${spec.commit}.0` },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
    },
    spec: specOf(source, request),
  }
}

/** Deletes what was fetched: their finalizers delete the artifacts. */
export const dropHeads = async (request: PullRequest, { hub, references }: FetchPorts): Promise<void> => {
  for (const {
    head: { name },
  } of request.spec.sources) {
    const head = await references.local<GitRepository>(request, gitRepository, name)
    if (!head || head.metadata.labels?.[pullRequestLabel] !== request.metadata.uid) continue
    await hub.delete(refOf(head), {}).catch(ignoring('NotFound'))
  }
}

const ignoring =
  (reason: ApiError['reason']) =>
  (error: unknown): undefined => {
    if (error instanceof ApiError && error.reason === reason) return undefined
    throw error
  }
