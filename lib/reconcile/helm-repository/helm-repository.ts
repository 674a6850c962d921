import { createHash } from 'node:crypto'
import type { Connections } from '../../http/connections.ts'
import type { Hub } from '../../hub/hub.ts'
import type { Artifact } from '../../kinds/artifact.ts'
import { requestedAtOf } from '../../kinds/flux.ts'
import { type HelmRepository, helmRepository, intervalOf, isRegistry } from '../../kinds/helm-repository.ts'
import { timeoutOf } from '../../kinds/source-fields.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import { isConditionTrue, type NewCondition } from '../../rules/conditions.ts'
import { BadChart } from '../../source/helm/bad-chart.ts'
import { RepositoryError } from '../../source/helm/chart-repository.ts'
import type { HelmLimits } from '../../source/helm/helm-limits.ts'
import { httpRepository } from '../../source/helm/http-repository.ts'
import type { IndexCache } from '../../source/helm/index-cache.ts'
import { type ChartIndex, parseIndex, writeIndex } from '../../source/helm/index-file.ts'
import { normalizeUrl } from '../../source/helm/repository-url.ts'
import type { CloudLogin } from '../../source/oci/cloud-login.ts'
import { Halt, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, NewEvent, Pass, Reconciler } from '../runtime/reconciler.ts'
import {
  findStored,
  latestUrlOf,
  type StorageSettings,
  storeArtifact,
  withCurrentUrl,
} from '../source-artifact/artifact-storage.ts'
import { finalizeSource, tidyUp } from '../source-artifact/garbage.ts'
import { humanSize } from '../source-artifact/human-size.ts'
import { succeeded } from '../source-artifact/succeeded.ts'
import type { EntityTags } from './entity-tags.ts'
import { AccessDenied, loadRepositoryAccess } from './repository-access.ts'

export interface HelmRepositoryPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly artifacts: ArtifactStore
  readonly clock: Clock
  readonly connections: Connections
  readonly login: CloudLogin
  readonly indexes: IndexCache
  readonly entityTags: EntityTags
  readonly limits: HelmLimits
}

type HelmPass = Pass<HelmRepository>
type HelmHalt = Halt<HelmRepository>

/** Keeps the index of a Helm repository as an artifact, as source-controller does. Registries have none, and are left alone. */
export const helmRepositoryReconciler = (
  ports: HelmRepositoryPorts,
  settings: StorageSettings,
): Reconciler<HelmRepository> => ({
  kind: helmRepository,
  stage: 'source',
  manager: 'source-controller',
  intervalOf,
  passTimeoutOf: repository => timeoutOf(repository) + 30_000,
  leavesAlone: isRegistry,
  reconcile: (repository, pass) => attempt(repository, pass, ports, settings).catch(outcomeOfHalt),
  finalize: (repository, pass) => finalizeSource(repository, pass, ports.artifacts),
})

const failure = (reason: string, message: string): NewCondition => ({ status: 'True', reason, message })

const fetchFailed = (reason: string, message: string, cause?: unknown): HelmHalt =>
  new Halt({ type: 'failed', reason, message, cause, conditions: { FetchFailed: failure(reason, message) } })

const urlInvalid = (reason: string): HelmHalt => {
  const message = `invalid Helm repository URL: ${reason}`
  return new Halt({
    type: 'stalled',
    reason: 'URLInvalid',
    message,
    conditions: { FetchFailed: failure('URLInvalid', message) },
  })
}

const storageFailed = (cause: unknown): HelmHalt => {
  const reason = 'ArchiveOperationFailed'
  const message = `unable to save artifact to storage: ${cause instanceof Error ? cause.message : String(cause)}`
  const conditions = { FetchFailed: null, StorageOperationFailed: failure(reason, message) }
  return new Halt({ type: 'failed', reason, message, cause, conditions })
}

const attempt = async (
  repository: HelmRepository,
  pass: HelmPass,
  ports: HelmRepositoryPorts,
  settings: StorageSettings,
): Promise<Done<HelmRepository>> => {
  await pass.open()
  const before = await findStored(repository, pass, ports.artifacts)
  const content = await fetchIndex(repository, before, pass, ports)
  const revision = content && `sha256:${createHash('sha256').update(content).digest('hex')}`
  if (before && (revision === undefined || revision === before.revision)) {
    return unchanged(repository, withCurrentUrl(before, settings), pass, settings)
  }
  const index = readIndex(content!, ports.limits)
  await noticeNewRevision(revision!, before, pass)
  const artifact = await store(repository, index, revision!, ports, settings)
  const isCached = ports.indexes.set(artifact.path, index)
  if (!isCached) pass.event(quiet('CacheOperationFailed', 'failed to cache index: cache is full'))
  if (artifact.digest !== before?.digest) pass.event(indexStored('NewArtifact', repository, artifact))
  else noticeRecovery(repository, artifact, pass)
  await tidyUp(repository, artifact, pass, ports, settings)
  return stored(repository, artifact, settings)
}

/** The index as the server has it; undefined when it says that it is the one we have. Halts when it can't be had. */
const fetchIndex = async (
  repository: HelmRepository,
  before: Artifact | undefined,
  pass: HelmPass,
  ports: HelmRepositoryPorts,
): Promise<Buffer | undefined> => {
  const url = requireUrl(repository)
  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(repository))])
  const access = await loadRepositoryAccess(ports, repository, url, signal).catch(error => {
    if (!(error instanceof AccessDenied)) throw error
    throw fetchFailed('AuthenticationFailed', error.message, error)
  })
  const { basic, tls } = access
  const { passCredentials } = repository.spec
  const remote = httpRepository(
    {
      url,
      signal,
      limits: ports.limits,
      ...(tls && { tls }),
      ...(basic && { credentials: basic }),
      ...(passCredentials && { passCredentials }),
    },
    ports.connections,
  )
  try {
    const known = before && ports.entityTags.of(repository, before.revision)
    const fetched = await remote.fetchIndex(known)
    if (fetched) ports.entityTags.remember(repository, fetched)
    return fetched?.content
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof RepositoryError)) throw error
    const what = 'failed to fetch Helm repository index: failed to cache index to temporary file'
    throw fetchFailed('Failed', `${what}: ${error.message}`, error)
  } finally {
    await remote.close()
  }
}

const requireUrl = ({ spec }: HelmRepository): string => {
  if (spec.url.startsWith('oci://')) {
    throw urlInvalid("'oci' URL scheme cannot be used with 'default' HelmRepository type")
  }
  try {
    return normalizeUrl(spec.url)
  } catch (error) {
    throw error instanceof RepositoryError ? urlInvalid(error.message) : error
  }
}

const readIndex = (content: Buffer, limits: HelmLimits): ChartIndex => {
  try {
    return parseIndex(content, limits)
  } catch (error) {
    if (!(error instanceof BadChart)) throw error
    const what = 'failed to load Helm repository from index YAML: failed to load index'
    throw fetchFailed('IndexationFailed', `${what}: ${error.message}`, error)
  }
}

const noticeNewRevision = async (revision: string, before: Artifact | undefined, pass: HelmPass) => {
  const message = `new index revision '${revision}'`
  const ArtifactOutdated = { status: 'True', reason: 'NewRevision', message } as const
  await pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { FetchFailed: null, ArtifactOutdated: before ? ArtifactOutdated : null },
  })
}

/** Stored as JSON, which is quicker to read than YAML when a chart is looked for. */
const store = (
  repository: HelmRepository,
  index: ChartIndex,
  revision: string,
  ports: HelmRepositoryPorts,
  settings: StorageSettings,
): Promise<Artifact> => {
  const content = Buffer.from(writeIndex(index))
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  const file = `index-${revision.slice('sha256:'.length)}.yaml`
  return storeArtifact(repository, { file, revision, content, digest }, ports, settings).catch(error => {
    throw storageFailed(error)
  })
}

const quiet = (reason: string, message: string): NewEvent => ({ severity: 'info', reason, message, quiet: true })

const indexStored = (
  reason: 'NewArtifact' | 'Succeeded',
  { spec }: HelmRepository,
  { revision, digest, size = 0 }: Artifact,
): NewEvent => ({
  severity: 'info',
  reason,
  message: `stored fetched index of size ${humanSize(size)} from '${spec.url}'`,
  metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
})

/** People are told of it when they asked or changed the spec, but not every interval anew: that would cost a write. */
const unchanged = (
  repository: HelmRepository,
  artifact: Artifact,
  pass: HelmPass,
  settings: StorageSettings,
): Done<HelmRepository> => {
  const { metadata, status } = repository
  const isNew = metadata.generation !== status?.observedGeneration
  const isAsked = requestedAtOf(repository) !== status?.lastHandledReconcileAt
  const message = `artifact up-to-date with remote revision: '${artifact.revision}'`
  if (isNew || isAsked) pass.event(quiet('ArtifactUpToDate', message))
  noticeRecovery(repository, artifact, pass)
  return { ...succeeded(artifact), status: { artifact, url: latestUrlOf(repository, 'index.yaml', settings) } }
}

const noticeRecovery = (repository: HelmRepository, artifact: Artifact, pass: HelmPass): void => {
  const failures = ['FetchFailed', 'StorageOperationFailed']
  const hadFailed = failures.some(type => isConditionTrue(repository.status?.conditions, type))
  if (hadFailed) pass.event(indexStored('Succeeded', repository, artifact))
}

const stored = (repository: HelmRepository, artifact: Artifact, settings: StorageSettings): Done<HelmRepository> => ({
  ...succeeded(artifact),
  status: { artifact, url: latestUrlOf(repository, 'index.yaml', settings) },
  announce: 'artifact',
})
