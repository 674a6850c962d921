import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { HelmRepository } from '../../foundations/kinds/helm-repository.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { References } from '../../hub/references/references.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { OffThread, OffThreadOptions } from '../../platform/ports/off-thread.ts'
import { type ChartRepository, RepositoryError } from '../../sources/helm/chart-repository.ts'
import type { HelmLimits } from '../../sources/helm/helm-limits.ts'
import { type HttpRepository, httpRepository } from '../../sources/helm/http-repository.ts'
import type { IndexCache } from '../../sources/helm/index-cache.ts'
import type { ChartIndex } from '../../sources/helm/index-file.ts'
import { ociChartRepository } from '../../sources/helm/oci-repository.ts'
import type { CloudLogin } from '../../sources/oci/cloud-login.ts'
import type { OciClient, OciSession } from '../../sources/oci/oci-client.ts'
import type { SignedArtifact } from '../../sources/verify/notation/require-notation.ts'
import type { ArtifactVerifier, SignaturePolicy } from '../../sources/verify/verify-artifact.ts'
import { readIndex } from '../heavy-work/chart-index.ts'
import { loadRepositoryAccess } from '../helm-repository/repository-access.ts'
import { type Refetch, readArtifact } from '../source-artifact/read-artifact.ts'

export interface RepositoryPorts {
  readonly references: References
  readonly artifacts: ArtifactStore
  readonly refetch: Refetch
  readonly connections: Connections
  readonly oci: OciClient
  readonly login: CloudLogin
  readonly indexes: IndexCache
  readonly limits: HelmLimits
  /** Parses large indexes on another thread. */
  readonly offThread?: OffThread | undefined
  readonly signatures: ArtifactVerifier
  readonly clock: Clock
}

export interface OpenRepository {
  readonly charts: ChartRepository
  close(): Promise<void>
}

export interface OpenOptions {
  readonly repository: HelmRepository
  /** Normalized. */
  readonly url: string
  /** The artifact of its index; if absent, the index is fetched. */
  readonly index?: Artifact
  readonly signal: AbortSignal
  /** The required signatures; called after the credentials were loaded. */
  policy?(): Promise<SignaturePolicy | undefined>
  /** Called if the cache of indexes is full. */
  onFullCache?(): void
}

/** Opens a repository with the credentials of its object. Fails with RepositoryAccessDenied. */
export const openRepository = async (options: OpenOptions, ports: RepositoryPorts): Promise<OpenRepository> => {
  const { repository, url, index } = options
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutOf(repository))])
  const { tls, basic, registry } = await loadRepositoryAccess(ports, repository, url, signal)
  const policy = await options.policy?.()
  if (url.startsWith('oci://')) {
    const { insecure = false } = repository.spec
    const access = {
      url,
      insecure,
      signal,
      limits: ports.limits,
      ...(tls && { tls }),
      ...(registry && { credentials: registry }),
      ...(policy && {
        requireSignature: (session: OciSession, chart: SignedArtifact) =>
          ports.signatures.verify(session, chart, policy),
      }),
    }
    return { charts: ociChartRepository(access, ports.oci), close: async () => {} }
  }
  const passCredentials = repository.spec.passCredentials === true
  const remote = httpRepository(
    { url, signal, passCredentials, limits: ports.limits, ...(tls && { tls }), ...(basic && { credentials: basic }) },
    ports.connections,
  )
  const off = { group: repository.metadata.namespace ?? '', signal }
  let loaded: Promise<ChartIndex> | undefined
  const load = () =>
    index
      ? storedIndex(index, ports, off, options.onFullCache)
      : fetchIndex(remote).then(content => readIndex(content, ports, off))
  const charts = remote.charts(() => {
    loaded ??= load().catch(error => {
      throw error instanceof RepositoryError
        ? error
        : new RepositoryError(`failed to load index: ${errorMessage(error)}`, error)
    })
    return loaded
  })
  return { charts, close: remote.close }
}

/** For a repository without an artifact of its index. */
const fetchIndex = async (repository: HttpRepository): Promise<Buffer> => {
  try {
    return (await repository.fetchIndex())!.content
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    const what = 'failed to cache index: failed to cache index to temporary file'
    throw new RepositoryError(`${what}: ${error.message}`, error)
  }
}

const storedIndex = async (
  artifact: Artifact,
  { indexes, ...ports }: RepositoryPorts,
  off: OffThreadOptions,
  onFullCache: (() => void) | undefined,
): Promise<ChartIndex> => {
  const cached = indexes.get(artifact.path)
  if (cached) return cached
  const content = await readArtifact(ports, artifact).catch(error => {
    throw new RepositoryError(errorMessage(error), error)
  })
  if (!content) throw new RepositoryError(`the artifact ${artifact.path} is no longer in storage`)
  const index = await readIndex(content, ports, off)
  if (!indexes.set(artifact.path, index)) onFullCache?.()
  return index
}
