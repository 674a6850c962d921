import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import { describeHttpFailure, httpClient } from '../../platform/http/http-client.ts'
import { downloadPolicy } from '../../platform/http/http-policy.ts'
import type { RegistryCredentials } from './docker-config.ts'
import type { RepositoryName } from './image-name.ts'
import { OciError } from './oci-error.ts'
import { defaultOciLimits, type OciLimits } from './oci-limits.ts'
import { type OciRepositoryReader, repositoryReader } from './read-repository.ts'
import { registryCache } from './registry-cache.ts'
import { type RegistrySession, registrySession } from './registry-session.ts'
import { type OciRepositoryWriter, repositoryWriter } from './write-repository.ts'

/** Reads and writes OCI registries (distribution specification 1.1), without files on disk. */
export interface OciClient {
  /** Opens a session for one repository. */
  open(options: OciSessionOptions): OciSession
}

export interface OciSessionOptions extends ConnectionOptions {
  readonly repository: RepositoryName
  readonly credentials?: RegistryCredentials
  /** Allows HTTP, and certificates of unknown authorities. */
  readonly insecure?: boolean
  readonly signal: AbortSignal
}

/** The use of one repository with its credentials, until it is closed. Every call fails with OciError. */
export interface OciSession extends OciRepositoryReader, OciRepositoryWriter {
  close(): Promise<void>
}

interface Clock {
  now(): number
}

/** A client of a process, whose sessions share what is known of registries, and tokens of the same credentials. */
export const ociClient = (clock: Clock, connections: Connections, limits: OciLimits = defaultOciLimits): OciClient => {
  const cache = registryCache()

  const open = ({ repository, credentials, insecure = false, signal, tls, proxy }: OciSessionOptions): OciSession => {
    const skipsVerification = insecure && !tls
    const opened = connections.open({
      tls: skipsVerification ? { unverified: true } : (tls ?? {}),
      ...(proxy && { proxy }),
    })
    const request = httpClient({
      ...{ agent: opened.agent, policy: downloadPolicy, signal },
      fail: failure => new OciError(failure.code, describeHttpFailure(failure), { cause: failure.cause }),
    })
    const session: RegistrySession = registrySession({
      repository,
      insecure,
      ...(credentials && { credentials }),
      request,
      cache,
      now: () => clock.now(),
    })
    return { ...repositoryReader(session, limits), ...repositoryWriter(session), close: opened.close }
  }

  return { open }
}
