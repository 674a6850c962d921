import { GitError } from './git-error.ts'
import { readPackets } from './pkt-line.ts'
import { type Advertisement, fetchPackV0, readAdvertisement } from './protocol-v0.ts'
import { fetchPackV2, listReferencesV2 } from './protocol-v2.ts'
import type { GitTransport } from './transport.ts'

export interface RemoteReference {
  /** `refs/heads/main` */
  readonly name: string
  readonly id: string
  /** What an annotated tag points to in the end. */
  readonly peeled?: string
}

export interface FetchRequest {
  readonly wants: readonly string[]
  /** How many commits of history; ignored by servers that only know whole histories. */
  readonly depth: number
  /** `blob:none`, `tree:0`: leave out what the wants refer to. */
  readonly filter?: string
}

/** A repository on a server, whatever protocol that server speaks. Every call fails with GitError. */
export interface Remote {
  /** The references whose names begin with one of the prefixes, or all; an old server sends all in any case. */
  references(prefixes: readonly string[]): Promise<readonly RemoteReference[]>
  fetch(request: FetchRequest): Promise<Buffer>
}

type Protocol = 'v2' | Advertisement

export interface RemoteOptions {
  /** False for a server that is known to be old. */
  readonly triesV2: boolean
  /** Called when the server turns out not to speak protocol v2. */
  onOldServer(): void
}

/**
 * The first question is asked in protocol v2 without having read the server's greeting, so that it costs one request
 * where v2 is spoken, which is nearly everywhere. Whatever goes wrong with it (an old server, a redirect, a refusal), the
 * greeting then decides.
 */
export const openRemote = (transport: GitTransport, { triesV2, onOldServer }: RemoteOptions): Remote => {
  let protocol: Protocol | undefined

  const greet = async (): Promise<Protocol> => {
    protocol = await readGreeting(transport)
    if (protocol !== 'v2') onOldServer()
    return protocol
  }

  const references = async (prefixes: readonly string[]): Promise<readonly RemoteReference[]> => {
    if (!protocol && transport.stateless && triesV2) {
      const listed = await listReferencesV2(transport, prefixes).catch(() => undefined)
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

const readGreeting = async (transport: GitTransport): Promise<Protocol> => {
  const greeting = readPackets(await transport.greeting())
  try {
    let first = await greeting.readLine()
    if (first?.startsWith('# service=')) {
      await greeting.read()
      first = await greeting.readLine()
    }
    if (first === 'version 1') first = await greeting.readLine()
    if (first === undefined) return { references: [], capabilities: new Set() }
    if (first !== 'version 2') return requireSha1(await readAdvertisement(first, greeting))
    for (let line = await greeting.readLine(); line !== undefined; line = await greeting.readLine()) {
      if (line.startsWith('object-format=') && line !== 'object-format=sha1') throw onlySha1(line)
    }
    return 'v2'
  } finally {
    await greeting.close()
  }
}

const requireSha1 = (advertisement: Advertisement): Advertisement => {
  for (const capability of advertisement.capabilities) {
    if (capability.startsWith('object-format=') && capability !== 'object-format=sha1') throw onlySha1(capability)
  }
  return advertisement
}

const onlySha1 = (capability: string): GitError =>
  new GitError('unsupported', `the repository names its objects by ${capability.slice(14)}; only sha1 is supported`)
