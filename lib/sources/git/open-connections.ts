import type { Connections } from '../../platform/http/connections.ts'
import type { GitCredentials } from './credentials.ts'
import { GitError } from './git-error.ts'
import { httpTransport } from './http-transport.ts'
import type { SshTransportOptions } from './ssh/ssh-transport.ts'
import type { GitService, GitTransport } from './transport.ts'

export interface GitConnectionOptions {
  readonly url: URL
  readonly credentials: GitCredentials
  readonly signal: AbortSignal
  /** For messages, without secrets. */
  readonly address: string
  /** Of one response. */
  readonly maxBytes: number
}

/** The connections of one session: over HTTP all services share them, over SSH each has its own. */
export interface GitConnections {
  readonly isSsh: boolean
  transport(service: GitService): GitTransport
  /** Ends what is under way. */
  abort(): void
  close(): Promise<void>
}

/** Opens connections over SSH. */
export type OpenSsh = (options: SshTransportOptions) => GitTransport

/** Fails with GitError for an address of SSH where that is not available. */
export const openGitConnections = (
  options: GitConnectionOptions,
  connections: Connections,
  ssh: OpenSsh | undefined,
): GitConnections => {
  if (!options.credentials.ssh) return httpConnections(options, connections)
  if (ssh) return sshConnections(options, connections, ssh)
  throw new GitError('unsupported', `unable to clone '${options.address}': ssh is not available here`)
}

const sshConnections = (
  { url, credentials, signal, maxBytes }: GitConnectionOptions,
  connections: Connections,
  sshTransport: OpenSsh,
): GitConnections => {
  const { ssh, proxy = connections.proxyFor(url) } = credentials
  const opened: GitTransport[] = []
  return {
    isSsh: true,
    transport: service => {
      const transport = sshTransport({
        ...{ service, url, credentials: ssh!, connections, signal, maxBytes },
        ...(proxy && { proxy }),
      })
      opened.push(transport)
      return transport
    },
    abort: () => {},
    close: async () => {
      await Promise.all(opened.map(transport => transport.close()))
    },
  }
}

const httpConnections = (
  { url, credentials, signal, maxBytes }: GitConnectionOptions,
  connections: Connections,
): GitConnections => {
  const { authorization, tls, proxy } = credentials
  const route = proxy ? { proxy } : {}
  const [own, foreign] = [connections.open({ tls, ...route }), connections.open(route)]
  const closing = new AbortController()
  return {
    isSsh: false,
    transport: service =>
      httpTransport({
        service,
        url,
        ...(authorization && { authorization }),
        signal: AbortSignal.any([signal, closing.signal]),
        agent: own.agent,
        crossOriginAgent: foreign.agent,
        maxBytes,
      }),
    abort: () => closing.abort(),
    close: async () => {
      await Promise.all([own.close(), foreign.close()])
    },
  }
}
