import type { Client, ClientChannel } from 'ssh2'
import { serverMessage } from '../../../foundations/rules/server-message.ts'
import type { Connections } from '../../../platform/http/connections.ts'
import { describeFailure } from '../../../platform/http/describe-failure.ts'
import { GitError, tooLarge } from '../git-error.ts'
import type { GitService, GitTransport } from '../transport.ts'
import { type KnownHosts, readKnownHosts } from './known-hosts.ts'
import { convertPkcs8, hasPassphrase } from './private-key.ts'

/** How to authenticate to an SSH server, and the host keys to accept. */
export interface SshCredentials {
  readonly username: string
  /** A private key in any format that ssh-keygen writes. */
  readonly identity: string
  readonly passphrase?: string
  readonly knownHosts: string
}

export interface SshTransportOptions {
  readonly service: GitService
  readonly url: URL
  readonly credentials: SshCredentials
  readonly connections: Pick<Connections, 'socket'>
  readonly signal: AbortSignal
  /** Of one response. */
  readonly maxBytes: number
  /** A SOCKS proxy; may contain a user and password. */
  readonly proxy?: URL
}

const defaultPort = 22
const readyMs = 30_000

/** Runs a git service over an SSH connection, which is opened on first use. */
export const sshTransport = (options: SshTransportOptions): GitTransport => {
  const { signal, maxBytes } = options
  let session: Promise<Session> | undefined
  let isV2 = false

  const opened = (): Promise<Session> => {
    session ??= openSession(options)
    return session
  }

  return {
    stateless: false,
    greeting: async () => {
      const { chunks } = await opened()
      return readResponse(chunks, maxBytes, first => {
        isV2 = first === 'version 2\n'
      })
    },
    request: async body => {
      const { channel, chunks } = await opened()
      channel.write(body)
      // Protocol v0 has one request, and the server closes the channel after its response.
      return isV2 ? readResponse(chunks, maxBytes) : rest(chunks, maxBytes)
    },
    close: async () => {
      const open = await session?.catch(() => undefined)
      if (!open) return
      if (!signal.aborted && !open.channel.destroyed) open.channel.end('0000')
      open.client.destroy()
    },
  }
}

interface Session {
  readonly client: Client
  readonly channel: ClientChannel
  readonly chunks: Chunks
}

const openSession = async (options: SshTransportOptions): Promise<Session> => {
  const { url, service, signal } = options
  const client = await connect(options)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  client.on('error', error => failed.reject(connectionFailure(url, error)))
  const abort = () => client.destroy()
  signal.addEventListener('abort', abort, { once: true })
  const channel = await Promise.race([run(client, service, url), failed.promise])
  channel.on('close', () => signal.removeEventListener('abort', abort))
  return { client, channel, chunks: chunksOf(channel, failed.promise) }
}

const connect = async ({ url, credentials, connections, signal, proxy }: SshTransportOptions): Promise<Client> => {
  const { Client, utils } = (await import('ssh2')).default
  const { pem, passphrase } = convertPkcs8(credentials.identity, credentials.passphrase)
  if (utils.parseKey(pem, passphrase) instanceof Error) {
    throw invalidCredentials(hasPassphrase(pem) ? 'x509: decryption password incorrect' : 'ssh: no key found')
  }
  const port = Number(url.port) || defaultPort
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const known = knownHostsOf(credentials)
  if (proxy) requireSocks(proxy)
  const sock = await connections.socket(host, port, signal, proxy).catch(error => {
    throw connectionFailure(url, error)
  })
  const client = new Client()
  let problem: string | undefined
  const ready = Promise.withResolvers<void>()
  client.once('ready', ready.resolve)
  client.once('error', error => ready.reject(handshakeFailure(url, problem, error)))
  client.once('close', () => ready.reject(handshakeFailure(url, problem, new Error('connection reset by peer'))))
  const abort = () => ready.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    client.connect({
      sock,
      username: credentials.username,
      privateKey: pem,
      ...(passphrase && { passphrase }),
      algorithms: { serverHostKey: hostKeyAlgorithms(known.keyTypes(host, port)) as never },
      hostVerifier: (key: Buffer) => {
        problem = known.problemWith(host, port, key)
        return problem === undefined
      },
      readyTimeout: readyMs,
      keepaliveInterval: 0,
    })
    await ready.promise
    return client
  } catch (error) {
    client.destroy()
    sock.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Worded as in Go's client, plus the remedy. */
const requireSocks = ({ protocol }: URL): void => {
  if (protocol.startsWith('socks5')) return
  const scheme = protocol.slice(0, -1)
  throw new GitError(
    'unsupported',
    `proxy: unknown scheme: ${scheme}: SSH goes through a proxy with a socks5:// address`,
  )
}

const knownHostsOf = ({ knownHosts }: SshCredentials): KnownHosts => {
  try {
    return readKnownHosts(knownHosts)
  } catch (error) {
    throw invalidCredentials(`knownhosts: ${(error as Error).message}`)
  }
}

/** Has no cause: the library's error may quote the key. */
const invalidCredentials = (problem: string): GitError =>
  new GitError('invalidCredentials', `unable to construct auth method with options: ${problem}`)

/** With no known key, any type is accepted: the key is then rejected as unknown, not for its type. */
const hostKeyAlgorithms = (types: readonly string[]): string[] => {
  const algorithms = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']
  const wanted = algorithms.filter(type => types.length === 0 || types.includes(type))
  return (wanted.length > 0 ? wanted : algorithms).flatMap(type =>
    type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type],
  )
}

const run = (client: Client, service: GitService, url: URL): Promise<ClientChannel> => {
  const path = decodeURIComponent(url.pathname).replace(/^\/~/, '~')
  const command = `${service} '${path.replaceAll("'", "'\\''")}'`
  return new Promise((resolve, reject) => {
    const env = service === 'git-upload-pack' ? { GIT_PROTOCOL: 'version=2' } : {}
    client.exec(command, { env }, (error, channel) =>
      error ? reject(connectionFailure(url, error)) : resolve(channel),
    )
  })
}

/** The server's output, in chunks; bytes read past a response can be put back. */
interface Chunks {
  next(): Promise<Buffer | undefined>
  putBack(rest: Buffer): void
}

const chunksOf = (channel: ClientChannel, failed: Promise<never>): Chunks => {
  const pieces = channel[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let stderr = ''
  channel.stderr.on('data', (text: Buffer) => {
    if (stderr.length < 500) stderr += text.toString()
  })
  let waiting: Buffer | undefined
  return {
    next: async () => {
      const held = waiting
      waiting = undefined
      if (held) return held
      const next = await Promise.race([pieces.next(), failed])
      if (!next.done) return next.value
      if (stderr) throw remoteError(stderr)
      return undefined
    },
    putBack: rest => {
      if (rest.length > 0) waiting = rest
    },
  }
}

/** Reads up to the first flush packet, which ends greetings and the responses of protocol v2. */
async function* readResponse(
  chunks: Chunks,
  maxBytes: number,
  onFirst?: (text: string) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0
  let buffered: Buffer = Buffer.alloc(0)
  let isFirst = true
  for (;;) {
    const chunk = await chunks.next()
    if (!chunk) return
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(`the response is larger than the limit of ${maxBytes} bytes`)
    buffered = buffered.length > 0 ? Buffer.concat([buffered, chunk]) : chunk
    let at = 0
    while (at + 4 <= buffered.length) {
      const length = Number.parseInt(buffered.toString('latin1', at, at + 4), 16)
      if (Number.isNaN(length)) throw new GitError('protocol', 'the response is not in the format of git packets')
      const end = at + Math.max(length, 4)
      if (end > buffered.length) break
      if (isFirst) onFirst?.(buffered.toString('utf8', at + 4, end))
      isFirst = false
      at = end
      if (length !== 0) continue
      chunks.putBack(buffered.subarray(at))
      yield buffered.subarray(0, at)
      return
    }
    if (at > 0) yield buffered.subarray(0, at)
    buffered = buffered.subarray(at)
  }
}

async function* rest(chunks: Chunks, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for (let chunk = await chunks.next(); chunk; chunk = await chunks.next()) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(`the response is larger than the limit of ${maxBytes} bytes`)
    yield chunk
  }
}

const connectionFailure = (url: URL, cause: unknown): GitError =>
  new GitError('unreachable', describeFailure(url, cause), { cause })

/** Worded as in Go's ssh. */
const handshakeFailure = (url: URL, problem: string | undefined, cause: Error): GitError => {
  if (problem) return new GitError('unauthorized', `ssh: handshake failed: ${problem}`, { cause })
  if (/authentication methods failed/i.test(cause.message)) {
    const text = 'ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain'
    return new GitError('unauthorized', `ssh: handshake failed: ${text}`, { cause })
  }
  if (/Handshake failed|no matching/i.test(cause.message)) {
    return new GitError('unauthorized', `ssh: handshake failed: ${cause.message}`, { cause })
  }
  return connectionFailure(url, cause)
}

const remoteError = (stderr: string): GitError => {
  const text = serverMessage(stderr)
  const isMissing = /not found|does not exist|not appear to be a git repository/i.test(text)
  return new GitError(
    isMissing ? 'repositoryNotFound' : 'refused',
    isMissing ? `repository not found: ${text}` : `remote: ${text}`,
  )
}
