import type { Spool } from '../spool.ts'
import { GitError } from './git-error.ts'
import type { ObjectFormat } from './git-object.ts'
import { readLines, readPackets } from './pkt-line.ts'
import { type Advertisement, fetchPackV0, firstLine, readAdvertisement } from './protocol-v0.ts'
import { fetchPackV2, listReferencesV2 } from './protocol-v2.ts'
import type { FetchRequest, Remote, RemoteReference } from './remote.ts'
import type { GitTransport } from './transport.ts'

type Protocol = Version2 | ({ readonly version: 0 } & Advertisement)

interface Version2 {
  readonly version: 2
  readonly format: ObjectFormat
  /** Whether the server leaves out objects if requested; undefined if its greeting was not read. */
  readonly filters?: boolean
}

export interface RemoteOptions {
  /** False for a server known not to speak protocol v2. */
  readonly triesV2: boolean
  /** The object format that the repository is known to use. */
  readonly format: ObjectFormat
  /**
   * Called after a greeting was read, with whether the server lacks protocol v2, and the repository's object format.
   */
  onGreeting(isOld: boolean, format: ObjectFormat): void
}

/**
 * Sends the first request in protocol v2 without reading the server's greeting, so that it takes one request with
 * nearly all servers. After any failure (an old server, a redirect, a refusal) reads the greeting and uses its version.
 */
export const openRemote = (transport: GitTransport, { triesV2, format, onGreeting }: RemoteOptions): Remote => {
  let protocol: Protocol | undefined

  const negotiate = async (): Promise<Protocol> => {
    protocol = await readGreeting(transport)
    onGreeting(protocol.version === 0, protocol.version === 2 ? protocol.format : formatIn(protocol.capabilities))
    return protocol
  }

  const references = async (prefixes: readonly string[]): Promise<readonly RemoteReference[]> => {
    if (!protocol && transport.stateless && triesV2) {
      const listed = await listReferencesV2(transport, prefixes, format).catch(rethrowBug)
      if (listed) {
        protocol = { version: 2, format }
        return listed
      }
    }
    const negotiated = protocol ?? (await negotiate())
    return negotiated.version === 2 ? listReferencesV2(transport, prefixes, negotiated.format) : negotiated.references
  }

  const fetch = async (request: FetchRequest, pack: Spool): Promise<void> => {
    const negotiated = protocol ?? (request.isEarly ? ({ version: 2, format } as const) : await negotiate())
    // A refusal would end a connection that is not stateless, and in version 0 there is one request for each.
    const filters = negotiated.version === 2 ? negotiated.filters : transport.stateless
    if (request.filter && filters === false) throw new GitError('unsupported', 'the server does not support filters')
    return negotiated.version === 2
      ? fetchPackV2(transport, request, pack)
      : fetchPackV0(transport, negotiated, request, pack)
  }

  return { allowsEarlyRequests: transport.stateless && triesV2, references, fetch }
}

const rethrowBug = (error: unknown): undefined => {
  if (!(error instanceof GitError)) throw error
}

const readGreeting = async (transport: GitTransport): Promise<Protocol> => {
  const greeting = readPackets(await transport.greeting())
  try {
    const first = await firstLine(greeting)
    if (first === undefined) return { version: 0, references: [], capabilities: [] }
    if (first === 'version 2') {
      const capabilities = await readLines(greeting)
      const filters = capabilities.some(line => /^fetch=(.* )?filter( |$)/.test(line))
      return { version: 2, format: formatIn(capabilities), filters }
    }
    const advertisement = await readAdvertisement(first, greeting)
    formatIn(advertisement.capabilities)
    return { version: 0, ...advertisement }
  } finally {
    await greeting.close()
  }
}

const formatIn = (capabilities: readonly string[]): ObjectFormat => {
  const format = capabilities.find(capability => capability.startsWith('object-format='))?.split('=')[1] ?? 'sha1'
  if (format === 'sha1' || format === 'sha256') return format
  throw new GitError(
    'unsupported',
    `the repository uses the object format ${format}; only sha1 and sha256 are supported`,
  )
}
