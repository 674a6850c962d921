import type { Spool } from '../spool.ts'
import { GitError } from './git-error.ts'
import { formatOf, isObjectId } from './git-object.ts'
import { encodePackets, type PacketReader, readLines, readPackets, textOf } from './pkt-line.ts'
import type { FetchRequest, RemoteReference } from './remote.ts'
import { readSideBand } from './side-band.ts'
import type { GitTransport } from './transport.ts'

/** The first response of a server that speaks protocol v0 or v1 (gitprotocol-pack). */
export interface Advertisement {
  readonly references: readonly RemoteReference[]
  readonly capabilities: readonly string[]
}

/** Reads a greeting after its first line. */
export const readAdvertisement = async (first: string, greeting: PacketReader): Promise<Advertisement> => {
  const [, features = ''] = first.split('\0')
  const byName = new Map<string, RemoteReference>()
  for (const line of [first, ...(await readLines(greeting))]) {
    const [id = '', name = ''] = line.split('\0')[0]!.split(' ')
    if (id === 'shallow') continue
    if (!isObjectId(id) || !name) throw new GitError('protocol', 'the response is not a list of references')
    if (name === 'capabilities^{}') continue
    const tag = name.endsWith('^{}') ? byName.get(name.slice(0, -3)) : undefined
    if (tag) byName.set(tag.name, { ...tag, peeled: id })
    else byName.set(name, { name, id })
  }
  return { references: [...byName.values()], capabilities: features.split(' ') }
}

/** Over HTTP the first line names the service. Protocol v1 is v0 with a line for its version. */
export const firstLine = async (greeting: PacketReader): Promise<string | undefined> => {
  let line = await greeting.readLine()
  if (line?.startsWith('# service=')) {
    await greeting.read()
    line = await greeting.readLine()
  }
  return line === 'version 1' ? greeting.readLine() : line
}

/** Reads a greeting in protocol v0 or v1, as git-receive-pack has. */
export const readGreeting = async (transport: GitTransport): Promise<Advertisement> => {
  const greeting = readPackets(await transport.greeting())
  try {
    const first = await firstLine(greeting)
    return first === undefined ? { references: [], capabilities: [] } : await readAdvertisement(first, greeting)
  } finally {
    await greeting.close()
  }
}

/** Fetches a pack with the wanted objects into the spool. */
export const fetchPackV0 = async (
  transport: GitTransport,
  { capabilities }: Advertisement,
  { wants, depth, filter }: FetchRequest,
  pack: Spool,
): Promise<void> => {
  const isShallow = depth !== undefined && capabilities.includes('shallow')
  const useful = ['multi_ack_detailed', 'side-band-64k', 'ofs-delta', 'no-progress', ...(filter ? ['filter'] : [])]
  if (!capabilities.includes('side-band-64k'))
    throw new GitError('unsupported', 'the server does not support side bands')
  if (filter && !capabilities.includes('filter'))
    throw new GitError('unsupported', 'the server does not support filters')
  const format = `object-format=${formatOf(wants[0]!)}`
  const options = [...useful, format].filter(name => capabilities.includes(name)).join(' ')
  const query = [
    ...wants.map((id, index) => (index === 0 ? `want ${id} ${options}` : `want ${id}`)),
    ...(isShallow ? [`deepen ${depth}`] : []),
    ...(filter ? [`filter ${filter}`] : []),
    'flush',
    'done',
  ]
  const response = readPackets(await transport.request(encodePackets(query)))
  try {
    if (isShallow) await readLines(response)
    await skipAcknowledgement(response)
    await readSideBand(response, pack)
  } finally {
    await response.close()
  }
}

const skipAcknowledgement = async (response: PacketReader): Promise<void> => {
  const packet = await response.read()
  if (typeof packet !== 'object' || textOf(packet) !== 'NAK')
    throw new GitError('protocol', 'the response does not contain a pack')
}
