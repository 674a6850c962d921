import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type HelmRepository, helmRepository, intervalOf, isRegistry } from '../../foundations/kinds/helm-repository.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { References } from '../../hub/references/references.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import { RepositoryError } from '../../sources/helm/chart-repository.ts'
import type { HelmLimits } from '../../sources/helm/helm-limits.ts'
import { httpRepository } from '../../sources/helm/http-repository.ts'
import type { IndexCache } from '../../sources/helm/index-cache.ts'
import { InvalidChart } from '../../sources/helm/invalid-chart.ts'
import { normalizeUrl } from '../../sources/helm/repository-url.ts'
import type { CloudLogin } from '../../sources/oci/cloud-login.ts'
import { type IndexAsJson, readIndexAsJson } from '../heavy-work/chart-index.ts'
import type { Halt } from '../runtime/halt.ts'
import type { Done, Reconciler } from '../runtime/reconciler.ts'
import { latestUrl, type StorageSettings, storeArtifact, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import { quietEvent, reportStored, upToDate, wasRequested } from '../source-artifact/events.ts'
import { tryCollectGarbage } from '../source-artifact/garbage.ts'
import { humanSize } from '../source-artifact/human-size.ts'
import {
  endDryRun,
  fetchFailed,
  fetchStalled,
  noticeNewRevision,
  storageFailed,
  succeeded,
} from '../source-artifact/outcomes.ts'
import { type SourceContext, sourceReconciler } from '../source-artifact/source-reconciler.ts'
import { sourceVisit } from '../source-artifact/visits.ts'
import type { EntityTags } from './entity-tags.ts'
import { loadRepositoryAccess, RepositoryAccessDenied } from './repository-access.ts'

export interface HelmRepositoryPorts {
  readonly references: References
  readonly artifacts: ArtifactStore
  readonly clock: Clock
  readonly connections: Connections
  readonly login: CloudLogin
  readonly indexes: IndexCache
  readonly entityTags: EntityTags
  readonly limits: HelmLimits
  /** Parses large indexes on another thread. */
  readonly offThread?: OffThread | undefined
}

/**
 * Stores the index of a Helm repository as an artifact, as source-controller does. Registries have no index and are
 * skipped.
 */
export const helmRepositoryReconciler = (
  ports: HelmRepositoryPorts,
  settings: StorageSettings,
): Reconciler<HelmRepository> =>
  sourceReconciler(
    {
      kind: helmRepository,
      intervalOf,
      isVisited: true,
      visitOf: sourceVisit,
      passTimeoutOf: (repository: HelmRepository) => timeoutOf(repository) + 30_000,
      leavesAlone: isRegistry,
      reconcileSource,
    },
    ports,
    settings,
  )

type IndexContext = SourceContext<HelmRepository, HelmRepositoryPorts>

const reconcileSource = async (at: IndexContext): Promise<Done<HelmRepository>> => {
  const { object: repository, pass, before, ports, settings } = at
  const content = await fetchIndex(at)
  const revision = content && sha256Digest(content)
  if (before && (revision === undefined || revision === before.revision)) return unchanged(at, before)
  endDryRun(pass, 'the index has changed')
  const { index, json } = await readContent(at, content!)
  await noticeNewRevision(pass, before, `new index revision '${revision!}'`)
  const artifact = await store(at, json, revision!)
  const isCached = ports.indexes.set(artifact.path, index)
  if (!isCached) pass.event(quietEvent('CacheOperationFailed', 'failed to cache index: cache is full'))
  reportStored(repository, pass, indexStored(repository, artifact), { artifact, before })
  await tryCollectGarbage(repository, artifact, pass, ports, settings)
  return { ...stored(at, artifact), triggersDependents: 'artifact' }
}

/** Fetches the index; undefined if it is unchanged. Halts on failure. */
const fetchIndex = async ({ object: repository, before, pass, ports }: IndexContext): Promise<Buffer | undefined> => {
  const url = requireUrl(repository)
  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(repository))])
  const access = await loadRepositoryAccess(ports, repository, url, signal).catch(error => {
    if (!(error instanceof RepositoryAccessDenied)) throw error
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

const urlInvalid = (reason: string): Halt<never> => fetchStalled('URLInvalid', `invalid Helm repository URL: ${reason}`)

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

const readContent = ({ object: { metadata }, pass, ports }: IndexContext, content: Buffer): Promise<IndexAsJson> =>
  readIndexAsJson(content, ports, { group: metadata.namespace ?? '', signal: pass.signal }).catch(error => {
    if (!(error instanceof InvalidChart)) throw error
    const what = 'failed to load Helm repository from index YAML: failed to load index'
    throw fetchFailed('IndexationFailed', `${what}: ${error.message}`, error)
  })

/** Stored as JSON, which parses faster than YAML. */
const store = (
  { object: repository, ports, settings }: IndexContext,
  json: string,
  revision: string,
): Promise<Artifact> => {
  const content = Buffer.from(json)
  const digest = sha256Digest(content)
  const file = `index-${revision.slice('sha256:'.length)}.yaml`
  return storeArtifact(repository, { file, revision, content, digest }, ports, settings).catch(
    storageFailed('save artifact'),
  )
}

const indexStored = ({ spec }: HelmRepository, { size = 0 }: Artifact): string =>
  `stored fetched index of size ${humanSize(size)} from '${spec.url}'`

const unchanged = (at: IndexContext, before: Artifact): Done<HelmRepository> => {
  const { object: repository, pass, settings } = at
  const artifact = withCurrentUrl(before, settings)
  if (wasRequested(repository)) pass.event(upToDate(artifact.revision))
  reportStored(repository, pass, indexStored(repository, artifact), { artifact, before })
  return stored(at, artifact)
}

const stored = ({ object: repository, settings }: IndexContext, artifact: Artifact): Done<HelmRepository> => ({
  ...succeeded(`stored artifact: revision '${artifact.revision}'`),
  status: { artifact, url: latestUrl(repository, 'index.yaml', settings) },
})
