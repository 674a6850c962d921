import { GitError } from './git-error.ts'
import { encodePackets, type PacketReader, readPackets, textOf } from './pkt-line.ts'
import type { FetchRequest, RemoteReference } from './remote.ts'
import { readSideBand } from './side-band.ts'
import type { GitTransport } from './transport.ts'

/** What a server of protocol v0 or v1 (gitprotocol-pack) says first. */
export interface Advertisement {
  readonly references: readonly RemoteReference[]
  readonly capabilities: ReadonlySet<string>
}

/** Reads the rest of a greeting whose first line is given. */
export const readAdvertisement = async (first: string, greeting: PacketReader): Promise<Advertisement> => {
  const [, features = ''] = first.split('\0')
  const byName = new Map<string, RemoteReference>()
  for (let line: string | undefined = first; line !== undefined; line = await greeting.readLine()) {
    const [id = '', name = ''] = line.split('\0')[0]!.split(' ')
    if (id === 'shallow') continue
    if (!/^[0-9a-f]{40}$/.test(id) || !name) throw new GitError('protocol', 'the server does not list references')
    if (name === 'capabilities^{}') continue
    const tag = name.endsWith('^{}') ? byName.get(name.slice(0, -3)) : undefined
    if (tag) byName.set(tag.name, { ...tag, peeled: id })
    else byName.set(name, { name, id })
  }
  return { references: [...byName.values()], capabilities: new Set(features.split(' ')) }
}

/** The pack with the objects wanted. */
export const fetchPackV0 = async (
  transport: GitTransport,
  { capabilities }: Advertisement,
  { wants, depth, filter }: FetchRequest,
): Promise<Buffer> => {
  const isShallow = capabilities.has('shallow')
  const useful = ['multi_ack_detailed', 'side-band-64k', 'ofs-delta', 'no-progress', ...(filter ? ['filter'] : [])]
  if (!capabilities.has('side-band-64k')) throw new GitError('unsupported', 'the server knows no side bands')
  if (filter && !capabilities.has('filter')) throw new GitError('unsupported', 'the server knows no filters')
  const chosen = useful.filter(name => capabilities.has(name)).join(' ')
  const query = [
    ...wants.map((id, index) => (index === 0 ? `want ${id} ${chosen}` : `want ${id}`)),
    ...(isShallow ? [`deepen ${depth}`] : []),
    ...(filter ? [`filter ${filter}`] : []),
    'flush',
    'done',
  ]
  const answer = readPackets(await transport.request(encodePackets(query)))
  try {
    if (isShallow) while ((await answer.readLine()) !== undefined);
    await skipAcknowledgement(answer)
    return await readSideBand(answer)
  } finally {
    await answer.close()
  }
}

const skipAcknowledgement = async (answer: PacketReader): Promise<void> => {
  const packet = await answer.read()
  if (typeof packet !== 'object' || textOf(packet) !== 'NAK') throw new GitError('protocol', 'the answer holds no pack')
}
