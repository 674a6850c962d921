import { GitError } from './git-error.ts'
import { type PacketReader, readLines, readPackets } from './pkt-line.ts'
import { type Advertisement, fetchPackV0, readAdvertisement } from './protocol-v0.ts'
import { fetchPackV2, listReferencesV2 } from './protocol-v2.ts'
import type { FetchRequest, Remote, RemoteReference } from './remote.ts'
import type { GitTransport } from './transport.ts'

type Protocol = 'v2' | Advertisement

export interface RemoteOptions {
  /** False for a server that is known to be old. */
  readonly triesV2: boolean
  /** Hears from the server's greeting, where it was read, whether it is old. */
  onGreeting(isOld: boolean): void
}

/**
 * The first question is asked in protocol v2 without having read the server's greeting, so that it costs one request
 * where v2 is spoken, which is nearly everywhere. Whatever goes wrong with it (an old server, a redirect, a refusal), the
 * greeting then decides.
 */
export const openRemote = (transport: GitTransport, { triesV2, onGreeting }: RemoteOptions): Remote => {
  let protocol: Protocol | undefined

  const greet = async (): Promise<Protocol> => {
    protocol = await readGreeting(transport)
    onGreeting(protocol !== 'v2')
    return protocol
  }

  const references = async (prefixes: readonly string[]): Promise<readonly RemoteReference[]> => {
    if (!protocol && transport.stateless && triesV2) {
      const listed = await listReferencesV2(transport, prefixes).catch(unlessBug)
      if (listed) {
        protocol = 'v2'
        return listed
      }
    }
    const spoken = protocol ?? (await greet())
    return spoken === 'v2' ? listReferencesV2(transport, prefixes) : spoken.references
  }

  const fetch = async (request: FetchRequest): Promise<Buffer> => {
    const spoken = protocol ?? (await greet())
    return spoken === 'v2' ? fetchPackV2(transport, request) : fetchPackV0(transport, spoken, request)
  }

  return { references, fetch }
}

const unlessBug = (error: unknown): undefined => {
  if (!(error instanceof GitError)) throw error
}

const readGreeting = async (transport: GitTransport): Promise<Protocol> => {
  const greeting = readPackets(await transport.greeting())
  try {
    const first = await firstLine(greeting)
    if (first === undefined) return { references: [], capabilities: [] }
    if (first === 'version 2') {
      requireSha1(await readLines(greeting))
      return 'v2'
    }
    const advertisement = await readAdvertisement(first, greeting)
    requireSha1(advertisement.capabilities)
    return advertisement
  } finally {
    await greeting.close()
  }
}

/** Over HTTP the service is named first, and protocol v1 is v0 with its name in front. */
const firstLine = async (greeting: PacketReader): Promise<string | undefined> => {
  let line = await greeting.readLine()
  if (line?.startsWith('# service=')) {
    await greeting.read()
    line = await greeting.readLine()
  }
  return line === 'version 1' ? greeting.readLine() : line
}

const requireSha1 = (capabilities: readonly string[]): void => {
  const format = capabilities.find(capability => capability.startsWith('object-format='))?.split('=')[1]
  if (format === undefined || format === 'sha1') return
  throw new GitError('unsupported', `the repository names its objects by ${format}; only sha1 is supported`)
}
